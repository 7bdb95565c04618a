import BankCore
import BankEngine
import BankModel
import HTTPTypes
import Hummingbird
import NIOCore

extension AdminAPI {
    /// Adds the call by which a pact verifier establishes provider states, in the body or in the query.
    func addProviderState(to group: RouterGroup<Context>) {
        group.post("/provider-state") { request, context in
            let session = try session(context)
            let change = try await stateChange(request)
            // States are additive, so a teardown has nothing to undo. A pact without states sends an empty one.
            guard change.isSetup, !change.state.isEmpty else { return Response.json(.object(JSONObject())) }
            guard let wanted = ProviderState(change.state, parameters: change.parameters) else {
                throw ProviderStateError.unknown(change.state)
            }
            return Response.json(.object(try session.enter(wanted)))
        }
    }

    private func stateChange(_ request: Request) async throws -> StateChange {
        let bytes = try await request.body.collect(upTo: 1 << 20)
        guard bytes.readableBytes == 0 else { return try StateChange(try JSON(parsing: bytes.readableBytesView)) }
        let query = request.uri.queryParameters.map { (key: String($0.key), value: JSON.string(String($0.value))) }
        var object = JSONObject(query.filter { StateChange.known.contains($0.key) })
        object[AdminKeys.parameters.key] = .object(JSONObject(query.filter { !StateChange.known.contains($0.key) }))
        return try StateChange(.object(object))
    }
}

/// The request of a verifier.
private struct StateChange {
    static let known = Set(AdminKeys.stateSchema.keys)

    let state: String
    let parameters: JSONObject
    /// Whether the state begins; false if it is over.
    let isSetup: Bool

    init(_ json: JSON) throws {
        guard let object = json.object else {
            throw AdminProblem.badRequest("found \(json.kindName), expected {\"state\": \"…\", \"params\": {…}, \"action\": \"setup\"}")
        }
        if let key = object.keys.first(where: { !StateChange.known.contains($0) }) {
            throw AdminProblem.badRequest("found `\(key)` in a state change, expected \(oneOf(StateChange.known.sorted()))")
        }
        guard let state = object[AdminKeys.state.key]?.string else {
            throw AdminProblem.badRequest("found no `state`, expected its sentence")
        }
        let action = object[AdminKeys.action.key] ?? "setup"
        guard action == "setup" || action == "teardown" else {
            throw AdminProblem.badRequest("found the action \(action.text), expected setup or teardown")
        }
        self.state = state
        isSetup = action == "setup"
        parameters = object[AdminKeys.parameters.key]?.object ?? JSONObject()
    }
}
