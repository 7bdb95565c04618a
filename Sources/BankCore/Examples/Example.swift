package import BankModel

/// A request that an operation executes, built from the bank's own fixtures, with the states it requires.
package struct Example: Sendable {
    /// The operation's index in the bank.
    package let operation: Int
    package var draft: RequestDraft
    /// The customer who sends it; nil if nobody is signed in.
    package let customer: String?
    /// The required states, in this order.
    package var states: [ProviderState]
}

extension SessionState {
    /// Finds an example of an operation; nil if no request that was tried is executed.
    ///
    /// Customers are tried in the order of the file, values of the bank's `defaults` before others.
    ///
    /// - Parameter customer: the sender; nil means any.
    package func example(of index: Int, customer: String? = nil, at now: Instant) -> Example? {
        let operation = bank.operations[index]
        let people = bank.customers.filter { !$0.locked && (customer == nil || $0.login == customer) }.map(\.login)
        for person in people.isEmpty ? [nil] : people.map(Optional.some) {
            if let example = example(of: index, operation, person, at: now) { return example }
        }
        return nil
    }

    private func example(of index: Int, _ operation: Operation, _ customer: String?, at now: Instant) -> Example? {
        var state = self
        var known = JSONObject()
        var states: [ProviderState] = []
        func make(_ wanted: ProviderState) {
            guard let values = try? state.enter(wanted, at: now) else { return }
            for member in values.members { known[member.key] = member.value }
            states.append(wanted)
        }
        if let customer, operation.wantsSignIn { make(.signedIn(customer: customer)) }
        if let customer, case .password? = operation.grant { make(.known(customer: customer)) }
        if operation.key != nil { make(.keyNew(name: "k1")) }
        for table in operation.emptyTables(of: bank) { make(.entry(table: table)) }

        var draft = RequestDraft(method: operation.method, path: operation.path)
        draft.form = operation.body?.form ?? operation.conditionedForm
        if case .token = operation.access {
            draft[.header("Authorization")] = RequestDraft.Value("example", name: "token", prefix: "Bearer ")
        }
        let slots = Slots(operation, customer: customer, state).all.map { location, values in
            // A value that no fixture has may be in a row that was just added.
            (
                location: location,
                values: values.isEmpty ? operation.emptyTables(of: bank).map { RequestDraft.Value("example", name: $0) } : values
            )
        }
        guard slots.allSatisfy({ !$0.values.isEmpty }) else { return nil }
        for filled in [draft]
            + draft.distinguished(from: bank.operations[..<index].filter { $0.method == operation.method && $0.path == operation.path })
        {
            if let draft = first(
                filled, slots, known,
                { draft in
                    var state = state
                    let answer = state.answer(draft.request(known), at: now)
                    return answer.operation == index && answer.response.status == operation.status
                })
            {
                return Example(operation: index, draft: draft, customer: customer, states: states)
            }
        }
        return nil
    }

    /// The first draft that succeeds, of at most 600; values that the state supplies otherwise lose their name.
    private func first(
        _ draft: RequestDraft, _ slots: [(location: RequestDraft.Location, values: [RequestDraft.Value])], _ known: JSONObject,
        _ does: (RequestDraft) -> Bool
    ) -> RequestDraft? {
        var chosen = slots.map { _ in 0 }
        for _ in 0..<600 {
            var draft = draft
            for (slot, choice) in zip(slots, chosen) {
                var value = slot.values[choice]
                if let name = value.name {
                    let isFixture = bank.tables[name]?.rows.isEmpty == false
                    if let actual = known[name], actual == value.json || !isFixture { value.json = actual } else { value.name = nil }
                }
                draft[slot.location] = value
            }
            if let token = known["token"], draft[.header("Authorization")] != nil { draft[.header("Authorization")]?.json = token }
            if does(draft) { return draft }
            // Increments, the last slot first.
            guard let position = chosen.indices.last(where: { chosen[$0] + 1 < slots[$0].values.count }) else { return nil }
            chosen[position] += 1
            for later in chosen.indices where later > position { chosen[later] = 0 }
        }
        return nil
    }
}

extension Operation {
    /// Whether it requires a sign-in.
    fileprivate var wantsSignIn: Bool {
        if case .token = access { return true }
        switch grant {
        case .refresh, .revoke: return true
        case .password, .code, .client, nil: return false
        }
    }

    /// The form of a body that only conditions describe.
    fileprivate var conditionedForm: BodyRule.Form? {
        if when.contains(where: { $0.part == .form }) { return .form }
        return when.contains { $0.part.isJSON || $0.part == .text && $0.wanted.isOfDocument } ? .json : nil
    }

    /// Tables without fixtures, from which its response takes a row, and to which an operation adds one without the same need.
    fileprivate func emptyTables(of bank: Bank) -> [String] {
        emptyTablesShown(of: bank).filter { table in
            bank.operations.first { $0.insert?.table == table }?.emptyTablesShown(of: bank).isEmpty ?? true
        }
    }

    /// Tables without fixtures, but for the one to which it adds a row, from which its response takes a row.
    private func emptyTablesShown(of bank: Bank) -> [String] {
        guard case .json(let template) = response else { return [] }
        let shown: [String] = template.flattened.compactMap { part in if case .row(let query) = part { query.table } else { nil } }
        return distinct(shown).filter { $0 != insert?.table && bank.tables[$0]?.rows.isEmpty == true }
    }
}

extension RequestDraft {
    /// The request with one more field, so that earlier operations with another condition on that field do not match.
    fileprivate func distinguished(from others: [Operation]) -> [RequestDraft] {
        var seen: Set<Location> = []
        return others.flatMap(\.when).compactMap { condition in
            guard condition.part == .form || condition.part == .query else { return nil }
            let location: Location = condition.part == .form ? .form(condition.name) : .query(condition.name)
            guard self[location] == nil, seen.insert(location).inserted else { return nil }
            var draft = self
            draft[location] = Value("other")
            if condition.part == .form { draft.form = .form }
            return draft
        }
    }
}
