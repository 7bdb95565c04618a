/// How the sequence of one version of a client differs from another's.
package struct SequenceDifference: Sendable, Hashable {
    /// One exchange that differs.
    package enum Change: Sendable, Hashable {
        /// The exchange of the golden file was not found.
        case missing(number: Int, ClientSequence.Step)
        /// The exchange that was found is not in the golden file.
        case added(number: Int, ClientSequence.Step)
        /// The facts that only one of them has, of an exchange that both have.
        case changed(number: Int, title: String, missing: [String], added: [String])
    }

    package let changes: [Change]
    /// The number of exchanges that are in either.
    private let count: Int

    /// Compares what is expected with what the client did now.
    package init(golden: ClientSequence, found: ClientSequence) {
        var changes: [Change] = []
        let difference = found.steps.map(\.kind).difference(from: golden.steps.map(\.kind))
        var removed: Set<Int> = []
        var inserted: Set<Int> = []
        for change in difference {
            switch change {
            case .remove(let offset, _, _): removed.insert(offset)
            case .insert(let offset, _, _): inserted.insert(offset)
            }
        }
        count = golden.steps.count + inserted.count
        var (old, new) = (0, 0)
        while old < golden.steps.count || new < found.steps.count {
            if removed.contains(old) {
                changes.append(.missing(number: old + 1, golden.steps[old]))
                old += 1
            } else if inserted.contains(new) {
                changes.append(.added(number: new + 1, found.steps[new]))
                new += 1
            } else {
                changes += SequenceDifference.facts(of: golden.steps[old], found.steps[new], number: new + 1)
                (old, new) = (old + 1, new + 1)
            }
        }
        self.changes = changes
    }

    private static func facts(of golden: ClientSequence.Step, _ found: ClientSequence.Step, number: Int) -> [Change] {
        guard golden != found else { return [] }
        let wanted = [golden.title] + golden.facts
        let there = [found.title] + found.facts
        let difference = there.difference(from: wanted)
        let missing = difference.removals.map { change in if case .remove(_, let line, _) = change { line } else { "" } }
        let added = difference.insertions.map { change in if case .insert(_, let line, _) = change { line } else { "" } }
        return [.changed(number: number, title: found.title, missing: missing, added: added)]
    }

    /// The differences, one paragraph for each exchange: `-` is in the golden file, `+` was found.
    package var lines: [String] {
        guard !changes.isEmpty else { return [] }
        let what = count == 1 ? "1 exchange" : "\(count) exchanges"
        return ["\(changes.count) of \(what) \(changes.count == 1 ? "differs" : "differ"): - expected, + found"]
            + changes.flatMap { change -> [String] in
                switch change {
                case .missing(let number, let step):
                    ["golden exchange \(number), not found: \(step.title)"] + step.facts.map { "  - \($0)" }
                case .added(let number, let step): ["exchange \(number), not expected: \(step.title)"] + step.facts.map { "  + \($0)" }
                case .changed(let number, let title, let missing, let added):
                    ["exchange \(number): \(title)"] + missing.map { "  - \($0)" } + added.map { "  + \($0)" }
                }
            }
    }
}
