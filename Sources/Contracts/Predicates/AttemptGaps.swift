import BankModel

/// The wait between two attempts.
struct AttemptGap {
    let earlier: JournalEntry
    let later: JournalEntry
    /// From the end of the response to the earlier request to the head of the later one.
    let nanoseconds: Int64
}

extension ExchangeFilter {
    /// The waits between attempts, those of one intent in a list; without an intent, of all. The lists are in the order of time.
    ///
    /// Measured from the end of one response to the next request's head. A request whose head came before the reply to the one before
    /// it was done is no second attempt, nor is one that comes after an answer that served.
    func gaps(in scene: Scene) -> [[AttemptGap]] {
        let byIntent = Dictionary(grouping: exchanges(of: scene)) { scene.intent(of: $0) }
        return byIntent.values.sorted { ($0.first?.monoNanoseconds ?? 0) < ($1.first?.monoNanoseconds ?? 0) }.map { attempts in
            zip(attempts, attempts.dropFirst()).compactMap { earlier, later -> AttemptGap? in
                guard !earlier.hasServed, let lasted = earlier.durationMicroseconds else { return nil }
                let gap = later.monoNanoseconds - earlier.monoNanoseconds - lasted * 1000
                return gap < 0 ? nil : AttemptGap(earlier: earlier, later: later, nanoseconds: gap)
            }
        }.filter { !$0.isEmpty }
    }
}

extension JournalEntry {
    /// Whether it was answered as asked, by a bank that no fault befell: who asks again then is not trying again.
    fileprivate var hasServed: Bool { fault?.applied != true && (status.map { (200..<400).contains($0) } ?? false) }
}
