import BankCore
import BankEngine
import BankModel
import NIOCore
import NIOHTTP1

extension AdminCall {
    /// Establishes provider states, which a pact verifier names in the body or in the query.
    static let enterProviderState = AdminCall(
        .POST, "/sessions/{session}/provider-state", "enterProviderState", "sets up a provider state of a pact: state, params, action",
        query: nil, body: AdminKeys.stateSchema, .anyObject, rejects: [.unprocessableContent],
        answer: .ofSession { api, session, request in
            let change = try api.stateChange(request)
            // States are additive, so a teardown has nothing to undo. A pact without states sends an empty one.
            guard change.isSetup, !change.state.isEmpty else { return .json(.object(JSONObject())) }
            guard let wanted = ProviderState(change.state, parameters: change.parameters) else {
                throw ProviderStateError.unknown(change.state)
            }
            return .json(.object(try session.enter(wanted)))
        })
}

extension AdminAPI {
    /// The state change in the request's body; in its query if the body is empty.
    fileprivate func stateChange(_ request: AdminRequest) throws -> StateChange {
        let query = request.query.parameters.map { (key: $0.name, value: JSON.string($0.value)) }
        let known = Set(AdminKeys.stateSchema.keys)
        var object = JSONObject(query.filter { known.contains($0.key) })
        let others = query.filter { !known.contains($0.key) }
        if !others.isEmpty { object[AdminKeys.parameters.key] = .object(JSONObject(others)) }
        return try fields(request, of: AdminKeys.stateSchema, empty: .object(object)) { fields, complaints in
            StateChange(fields, complaints)
        }
    }
}

/// The request of a verifier.
private struct StateChange {
    let state: String
    let parameters: JSONObject
    /// Whether the state begins; false if it is over.
    let isSetup: Bool

    init?(_ fields: Fields, _ complaints: Complaints) {
        // Verifiers send it, and it has no effect: any value is accepted.
        _ = fields.node(of: AdminKeys.consumer)
        let action = fields[AdminKeys.action]
        let parameters = fields[AdminKeys.parameters]
        guard let state = fields[AdminKeys.state], let action, let parameters else { return nil }
        self.state = state
        self.parameters = parameters
        isSetup = action == "setup"
    }
}
