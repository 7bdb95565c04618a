package import BankModel

/// The effect of an outage on an app, as the journal shows it.
package struct OutageEffect: Sendable, Hashable {
    package var name: String
    /// The number of requests and connections to which a rule of the outage was applied.
    package var affected = 0
    /// The longest time in which the app got no successful response; nil if each affected request got one.
    package var longest: Stretch?
    /// The number of the first exchange after the last affected one that succeeded; nil if none did yet.
    package var recovered: Int?

    /// From a failed request to the next successful response.
    package struct Stretch: Sendable, Hashable {
        /// The number of the exchange that failed first.
        package var since: Int
        /// The number of the exchange that succeeded; nil if none did yet.
        package var until: Int?
        /// From the head of the first to the end of the response to the last; by the machine's clock or by the session's, whichever has
        /// gone further. To the last exchange of the journal if none succeeded yet.
        package var duration: Duration
    }

    /// The effect of the rules with these ids; nil if none of them was applied.
    package init?(of name: String, _ rules: Set<String>, in journal: [JournalEntry]) {
        self.name = name
        let entries = journal.sorted { ($0.monoNanoseconds, $0.seq) < ($1.monoNanoseconds, $1.seq) }
        let hits = entries.map { entry in entry.faults.contains { $0.applied && rules.contains($0.rule) } }
        guard let first = hits.firstIndex(of: true), let last = hits.lastIndex(of: true) else { return nil }
        affected = hits.count { $0 }
        recovered = entries[last...].first { $0.succeeded }?.seq
        var start: JournalEntry?
        for index in first..<entries.count {
            let entry = entries[index]
            if entry.succeeded {
                if let since = start { note(since, entry, hasEnded: true) }
                start = nil
            } else if start == nil, hits[index] {
                start = entry
            }
        }
        if let start, let end = entries.last { note(start, end, hasEnded: false) }
    }

    private mutating func note(_ since: JournalEntry, _ end: JournalEntry, hasEnded: Bool) {
        let lasted = end.durationMicroseconds ?? 0
        let machine = end.monoNanoseconds - since.monoNanoseconds + lasted * 1000
        let session = (end.at - since.at).nanoseconds + lasted * 1000
        let duration = Duration.nanoseconds(max(machine, session))
        if let longest, longest.duration >= duration { return }
        longest = Stretch(since: since.seq, until: hasEnded ? end.seq : nil, duration: duration)
    }
}

extension OutageEffect {
    /// The number of affected requests, the longest time without a successful response, and the recovery: a line for each.
    package var lines: [String] {
        var lines = ["\(counted(affected, "request")) affected"]
        if let longest {
            let span = longest.until.map { "exchanges \(longest.since) to \($0)" } ?? "since exchange \(longest.since)"
            lines.append("no successful response for \(longest.duration.shortText) (\(span))")
        }
        lines.append(recovered.map { "recovered with exchange \($0)" } ?? "not recovered yet")
        return lines
    }

    /// The effect as the admin API shows it.
    package var json: JSON { OutageEffect.format.write?(self) ?? .null }

    /// How the effect is written and read: the longest time by three members.
    package static let format: Format<OutageEffect> = .record(
        called: "an effect", about: "The effect of an outage on the app, as the journal shows it.", OutageEffect(name: ""),
        [
            .required("name", .line, \.name, "the outage's name"),
            .required("affected", .count, \.affected, "the number of requests and connections to which a rule was applied"),
            .computed(
                Field(
                    "without_answer_ms", Format<Int64>.milliseconds, "the longest time without a successful response, in milliseconds"),
                { $0.longest.map { $0.duration.nanoseconds / 1_000_000 } },
                { $0.longest = Stretch(since: 0, until: nil, duration: .milliseconds($1)) }),
            .computed(
                Field("since", Format<Int>.count, "the exchange that failed first in that time"), { $0.longest?.since },
                { $0.longest?.since = $1 }),
            .computed(
                Field("until", Format<Int>.count, "the exchange that succeeded at its end; absent if none did yet"),
                { $0.longest?.until }, { $0.longest?.until = $1 }),
            .optional(
                "recovered", .count, \.recovered,
                "the first exchange after the last affected one that succeeded; absent if none did yet"),
        ])

    private init(name: String) { self.name = name }
}
