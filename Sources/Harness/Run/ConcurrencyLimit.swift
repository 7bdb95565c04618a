import Platform

/// The number of cases that run at once: more while the machine keeps up, fewer while it does not. Time-outs of cases are real time, so
/// a client must not be tested on a machine that makes it wait.
struct ConcurrencyLimit: Sendable {
    let least: Int
    let most: Int
    private(set) var current: Int

    /// - Parameters:
    ///   - least: the number with which no machine is overloaded.
    ///   - most: the number beyond which nothing is gained.
    init(least: Int, most: Int) {
        self.least = least
        self.most = max(least, most)
        current = min(2 * least, self.most)
    }

    /// Learns how late a pause ended.
    mutating func paused(late: Duration) {
        if late > ConcurrencyLimit.tooLate {
            current = max(least, current - max(1, current / 4))
        } else if late < ConcurrencyLimit.tooLate / 4 {
            current = min(most, current + 1)
        }
    }

    /// A pause that ends so much too late means that threads wait for a core: the shortest time-outs of cases are some ten times as long.
    static let tooLate = Duration.milliseconds(20)
    /// The pauses by which it is measured.
    static let pause = Duration.milliseconds(25)
}

extension ConcurrencyLimit {
    /// Runs jobs beside each other, as many as the machine keeps up with.
    ///
    /// - Parameters:
    ///   - next: the next job; nil if none begins now.
    ///   - take: called with what each has returned, in the order in which they end.
    func run<Value: Sendable>(
        of type: Value.Type, _ next: () -> (@Sendable () async -> Value)?, take: (Value) -> Void
    ) async {
        let meter = LoadMeter(self)
        let metering = Task { await meter.run() }
        defer { metering.cancel() }
        await withTaskGroup(of: type) { group in
            var running = 0
            var more = meter.current
            while true {
                for _ in 0..<more where running < meter.current {
                    guard let job = next() else { break }
                    running += 1
                    group.addTask { await job() }
                }
                guard let value = await group.next() else { return }
                running -= 1
                take(value)
                // Two at most for each that ends: a higher number is reached step by step.
                more = 2
            }
        }
    }
}

/// Measures the machine while cases run.
final class LoadMeter: Sendable {
    private let limit: Locked<ConcurrencyLimit>

    init(_ limit: ConcurrencyLimit) { self.limit = Locked(limit) }

    var current: Int { limit.withLock(\.current) }

    /// Measures until its task is cancelled.
    func run() async {
        let clock = ContinuousClock()
        while true {
            let began = clock.now
            do { try await clock.sleep(for: ConcurrencyLimit.pause) } catch { return }
            let late = clock.now - began - ConcurrencyLimit.pause
            limit.withLock { $0.paused(late: late) }
        }
    }
}
