package import BankCore
package import BankModel

/// Writes a bank's API as a pact (version 4): for each operation the request that is carried out, and the important rejections.
///
/// Each interaction is tried on the bank itself, in memory, at a fixed instant and with a fixed seed: what it answers is the example,
/// so equal banks give equal bytes. Values that differ at a real bank, such as ids, dates and amounts, have rules.
package struct PactExport: Sendable {
    /// The consumer's name in the pact.
    package var consumer: String

    package init(consumer: String) { self.consumer = consumer }

    /// A bank's pact.
    package struct Exported: Sendable {
        package let json: JSON
        package let interactions: Int
        /// Operations for which no request could be made that is carried out; those that need a browser are not among them.
        package let omitted: [String]
    }

    /// 2026-01-15T12:00:00Z
    private static let now = Instant(nanoseconds: 1_768_478_400_000_000_000)

    package func convert(_ bank: Bank) -> Exported {
        let state = SessionState(
            id: "pact", seed: 7, prepared: PreparedBank(bank), baseURL: "http://127.0.0.1:8080", startedAt: PactExport.now)
        var interactions: [JSON] = []
        var omitted: [String] = []
        for index in bank.operations.indices
        where !bank.operations[index].isOfSignInPage && !bank.operations[index].isAboutEarlierRequest(bank)
            && bank.operations[index].stream == nil
        {
            // A verifier waits for the end of a response, and a stream has none.
            guard let example = state.example(of: index, at: PactExport.now) else {
                omitted.append(bank.operations[index].name)
                continue
            }
            interactions += Situation.all(example, bank).compactMap { interaction($0, bank.operations[index], state) }
        }
        let pact: JSON = [
            "consumer": ["name": .string(consumer)], "provider": ["name": .string(bank.name)], "interactions": .array(interactions),
            "metadata": ["pactSpecification": ["version": "4.0"]],
        ]
        return Exported(json: pact, interactions: interactions.count, omitted: omitted)
    }

    /// One interaction; nil if the bank answers something else than what is meant.
    private func interaction(_ situation: Situation, _ operation: Operation, _ state: SessionState) -> JSON? {
        var state = state
        var known = JSONObject()
        for wanted in situation.states {
            guard let entered = try? state.enter(wanted, at: PactExport.now) else { return nil }
            for member in entered.members { known[member.key] = member.value }
        }
        let response = state.answer(situation.draft.request(known), at: PactExport.now).response
        guard situation.isMeant(response) else { return nil }
        let states: [JSON] = situation.states.map { ["name": .string($0.name), "params": .object($0.parameters)] }
        return .object(known: [
            "type": "Synchronous/HTTP",
            "description": .string(situation.words.isEmpty ? operation.name : "\(operation.name) \(situation.words)"),
            "providerStates": states.isEmpty ? nil : .array(states), "pending": false,
            "request": PactRequest(draft: situation.draft, known: known).json,
            "response": PactResponse(response: response, operation: operation, bank: state.bank).json,
        ])
    }
}

extension Operation {
    /// Whether it needs a browser, or a client's secret: a pact's request has neither.
    fileprivate var isOfSignInPage: Bool {
        switch grant {
        case .code, .client: true
        case .password, .refresh, .revoke, nil: signIn != nil
        }
    }

    /// Whether it needs what only an earlier request of the client makes, and no state of a pact: an open challenge, a row of a table
    /// without a file, or a consent that the customer has authorised in a browser.
    fileprivate func isAboutEarlierRequest(_ bank: Bank) -> Bool {
        challenge != nil || uses != nil || isAboutConsented(bank)
            || [delete, revoke].compactMap(\.self).contains { bank.tables[$0.table]?.rows.isEmpty == true }
    }

    /// Whether it shows a row that only operations with an authorised consent add.
    private func isAboutConsented(_ bank: Bank) -> Bool {
        guard case .json(let template) = response else { return false }
        return template.flattened.contains { part in
            guard case .row(let query) = part, bank.tables[query.table]?.rows.isEmpty == true else { return false }
            let adding = bank.operations.filter { $0.insert?.table == query.table }
            return !adding.isEmpty && adding.allSatisfy { $0.uses != nil }
        }
    }
}
