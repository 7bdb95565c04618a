package import BankModel

/// A session's rules, in the order in which they were set, and how often each has matched and was applied, followed by
/// those of its outage.
package struct RuleBook: Sendable {
    package private(set) var rules: [ArmedRule] = []
    /// The plan that runs, or has run last.
    package internal(set) var outage: ArmedOutage?
    private var nextIndex = 0
    /// The counts of the rules that were removed last, which the code that set them may still read.
    private var removed: [(id: String, counts: Counts)] = []

    private static let mostRemoved = 256

    /// How often a rule has matched, and how often it was applied.
    package struct Counts: Sendable, Hashable {
        package var matched = 0
        package var applied = 0
    }

    package init() {}

    /// True if no rule is set and no plan runs.
    package var isEmpty: Bool { rules.isEmpty && outage == nil }

    /// Adds a rule after the existing ones.
    ///
    /// - Returns: its id.
    package mutating func set(_ rule: Rule, at time: RuleTime) -> String {
        nextIndex += 1
        let id = "rule-\(nextIndex)"
        let window = RuleWindow(.real, Plan.Span(from: .zero, until: rule.timeToLive), from: time)
        rules.append(ArmedRule(id: id, rule: rule, index: nextIndex, window: window))
        return id
    }

    /// Removes the rule; false if there is none of that id.
    package mutating func remove(_ id: String) -> Bool {
        let before = rules.count
        removeAll { $0.id == id }
        return rules.count < before
    }

    /// Removes the rules that were set one by one; an outage goes on.
    package mutating func removeAll() { removeAll { _ in true } }

    /// Removes the rules whose time is over.
    ///
    /// - Returns: their ids.
    package mutating func removeExpired(at time: RuleTime) -> [String] {
        let expired = rules.filter { $0.window.isOver(at: time) }.map(\.id)
        if !expired.isEmpty { removeAll { expired.contains($0.id) } }
        return expired
    }

    private mutating func removeAll(where isRemoved: (ArmedRule) -> Bool) {
        removed = Array((removed + rules.filter(isRemoved).map { ($0.id, $0.counts) }).suffix(RuleBook.mostRemoved))
        rules.removeAll(where: isRemoved)
    }

    /// The counts of a rule that is set, or was removed a while ago; nil for another id.
    package func counts(of id: String) -> Counts? {
        rules.first { $0.id == id }?.counts ?? removed.last { $0.id == id }?.counts
    }

    /// The rules that can apply now.
    package func active(at time: RuleTime) -> [ArmedRule] {
        (rules + (outage?.rules ?? [])).filter { $0.window.contains(time) }
    }

    // MARK: applying

    /// Lets the first rule that applies to this exchange at this point change what is done with it; every rule consulted on
    /// the way counts its match.
    ///
    /// - Returns: the rule that was applied; without one, the first that would have been and could not.
    package mutating func apply(
        at point: FaultPoint, _ exchange: ExchangeFacts, _ outgoing: inout OutgoingResponse, seed: UInt64, time: RuleTime
    ) -> FaultRecord? {
        var spared: FaultRecord?
        return change(at: point, exchange, seed: seed, time: time) { armed, context in
            do throws(NotApplied) {
                guard let fault = armed.rule.setting.fault as? any ExchangeFault else { return nil }
                try armed.rule.check(exchange)
                var changed = outgoing
                if armed.rule.setting.isEncoded { try changed.codeForFault() }
                try fault.apply(&changed, context)
                if let after = armed.rule.setting.after { changed.wait(after, armed.id) }
                outgoing = changed
                return armed.record(nil)
            } catch {
                spared = spared ?? armed.record(error.reason)
                return nil
            }
        } ?? spared
    }

    /// The first rule that applies to a connection at this point.
    package mutating func apply(
        connectionAt point: FaultPoint, seed: UInt64, time: RuleTime
    ) -> (record: FaultRecord, effect: ConnectionEffect)? {
        let exchange = ExchangeFacts()
        var effect: ConnectionEffect?
        let record = change(at: point, exchange, seed: seed, time: time) { armed, context in
            guard let fault = armed.rule.setting.fault as? any ConnectionFault, armed.rule.kind != RefuseFault.kind else { return nil }
            effect = fault.apply(context)
            return armed.record(nil)
        }
        guard let record, let effect else { return nil }
        return (record, effect)
    }

    /// The rule by which the ports do not listen now; nil if they do.
    ///
    /// - Parameter isNew: they have listened so far: the rule counts as applied once more.
    package mutating func closedPort(at time: RuleTime, isNew: Bool) -> FaultRecord? {
        func refuses(_ armed: ArmedRule) -> Bool { armed.rule.kind == RefuseFault.kind && armed.window.contains(time) }
        if let position = rules.firstIndex(where: refuses) {
            if isNew { rules[position].applied += 1 }
            return rules[position].record(nil)
        }
        guard let position = outage?.rules.firstIndex(where: refuses) else { return nil }
        if isNew { outage?.rules[position].applied += 1 }
        return outage?.rules[position].record(nil)
    }

    /// Offers an exchange to the rules in order until one takes it.
    private mutating func change(
        at point: FaultPoint, _ exchange: ExchangeFacts, seed: UInt64, time: RuleTime,
        _ offer: (ArmedRule, FaultContext) -> FaultRecord?
    ) -> FaultRecord? {
        for position in rules.indices {
            if let record = rules[position].consider(point, exchange, seed: seed, time: time, offer) { return record }
        }
        guard var running = outage else { return nil }
        defer { outage = running }
        for position in running.rules.indices {
            let own = running.seed ?? seed
            if let record = running.rules[position].consider(point, exchange, seed: own, time: time, offer) { return record }
        }
        return nil
    }
}
