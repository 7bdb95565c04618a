package import BankModel

/// How often money moved for each intent: `{ledger: {A: 1, B: 0..1}}`. Money that moved for no intent is never right.
package struct LedgerPredicate: Predicate {
    package static let name = "ledger"

    package static let forms = [
        form(
            "The number of payments for each payment order. A payment without a payment order is always a failure.", [body],
            example: "ledger: {A: 1, B: 0..1}")
    ]

    private static let body = Field(
        required: name,
        .node(
            .map(
                keys: "intents",
                .anyOf([.integer(0...Int.max), .text(TextSchema("a range such as `0..1`", pattern: #"[0-9]+\.\.[0-9]+"#))]))),
        "the payment orders, each with the number of its payments")

    let movements: [(intent: String, allowed: ClosedRange<Int>)]

    package init?(_ fields: Fields, _ outline: StepOutline, _ complaints: Complaints) {
        guard let node = fields[Self.body] else { return nil }
        movements = Fields(node, of: "`ledger`", complaints).all.compactMap { intent, keyNode, value in
            if !outline.intents.contains(intent) {
                complaints.add(found: "the intent `\(intent)`", expected: oneOf(distinct(outline.intents)), at: keyNode.position)
            }
            return LedgerPredicate.range(value, complaints).map { (intent, $0) }
        }
        guard !movements.isEmpty else { return nil }
    }

    /// Reads `1` or `0..1`.
    private static func range(_ node: Node, _ complaints: Complaints) -> ClosedRange<Int>? {
        let text = node.scalar ?? ""
        if let count = Int(text), count >= 0 { return count...count }
        let ends = text.split(separator: ".", omittingEmptySubsequences: false)
        guard ends.count == 3, ends[1].isEmpty, let least = Int(ends[0]), let most = Int(ends[2]), 0 <= least, least <= most else {
            return node.wrong(complaints, "a count such as 1, or a range such as 0..1")
        }
        return least...most
    }

    package func judge(_ scene: Scene) -> [UnmetExpectation] {
        let moved = scene.evidence.movements.filter { !$0.state.isReversed }
        let byIntent = Dictionary(grouping: moved) { scene.intent(of: $0) }
        let unsure = ordersInDoubt(moved, scene)
        var unmet = movements.compactMap { intent, allowed -> UnmetExpectation? in
            let seen = byIntent[intent] ?? []
            guard !allowed.contains(seen.count) else { return nil }
            if seen.count < allowed.lowerBound, let reason = scene.reasonForNoPayment(of: intent) {
                return UnmetExpectation(.absent, reason)
            }
            let isSurelyTooMany = seen.count { scene.candidates(of: $0).count < 2 } > allowed.upperBound
            if unsure.contains(intent), !isSurelyTooMany {
                let list = LedgerPredicate.text(moved.filter { !scene.candidates(of: $0).isDisjoint(with: unsure) })
                return UnmetExpectation(.undecided, .paymentsOfUnknownOrder(list, of: intent, candidates: unsure.sorted()))
            }
            let count =
                allowed.count == 1
                ? allowed.lowerBound == 0 ? "no payment" : "exactly \(counted(allowed.lowerBound, "payment"))"
                : "\(allowed.lowerBound) to \(counted(allowed.upperBound, "payment"))"
            let keys = distinct(seen.map(\.key))
            let mistake: Finding.Mistake? = seen.count <= max(1, allowed.upperBound) ? nil : keys.count > 1 ? .newKey : .paidTwice
            return UnmetExpectation(.payments(seen.count, for: intent, LedgerPredicate.text(seen), allowed: count, mistake: mistake))
        }
        if let strays = byIntent[nil] {
            unmet.append(UnmetExpectation(.paymentsForNoIntent(LedgerPredicate.text(strays))))
        }
        return unmet
    }

    /// The orders of which some payments may be of another one, if all their payments together are as many as they may have. Which of them has
    /// a payment too many or too few is then not known.
    private func ordersInDoubt(_ moved: [Movement], _ scene: Scene) -> Set<String> {
        let orders = moved.map { scene.candidates(of: $0) }.filter { $0.count > 1 }.reduce(into: Set<String>()) { $0.formUnion($1) }
        let total = moved.count { movement in scene.intent(of: movement).map(orders.contains) ?? false }
        let known = movements.filter { orders.contains($0.intent) }
        // A bound may be the greatest number there is.
        let least = known.reduce(0) { $0 + min($1.allowed.lowerBound, total + 1) }
        let most = known.reduce(0) { $0 + min($1.allowed.upperBound, total) }
        let isBounded = orders.isSubset(of: known.map(\.intent))
        return least <= total && (total <= most || !isBounded) ? orders : []
    }

    private static func text(_ movements: [Movement]) -> String {
        movements.map { "\($0.amount) \($0.key.map { "under the key \($0)" } ?? "without a key")" }.joined(separator: ", ")
    }
}
