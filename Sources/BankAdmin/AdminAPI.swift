import BankCore
import BankEngine
import BankModel
import Faults
import NIOCore
import NIOHTTP1
import StubServer

/// The admin API: all operations on a running server, under `/__admin`.
struct AdminAPI: Sendable {
    let server: StubServer
    let configuration: AdminConfiguration
    let version: String
    let startedAt: Instant
    let long = LongResponses()

    /// The answers of all calls, by the call's name.
    var answers: AdminAnswers {
        var answers = AdminAnswers()
        addServer(to: &answers)
        addProbes(to: &answers)
        addPlans(to: &answers)
        addSessions(to: &answers)
        addState(to: &answers)
        addTokens(to: &answers)
        addAuthorizations(to: &answers)
        addChallenges(to: &answers)
        addProviderState(to: &answers)
        addEvents(to: &answers)
        addWebhooks(to: &answers)
        addFaults(to: &answers)
        addOutage(to: &answers)
        addJournal(to: &answers)
        return answers
    }

    private func addServer(to answers: inout AdminAnswers) {
        answers.others["listCalls"] = { _ in .json(AdminCall.list) }
        answers.others["getDescription"] = { _ in
            let document = AdminDocument(
                version: version, server: configuration.publicURL ?? "/", needsToken: configuration.token != nil)
            return .json(document.json)
        }
        answers.others["getHealth"] = { _ in .json(["status": "ok"]) }
        answers.others["getVersion"] = { _ in
            .json(
                .object(known: [
                    "version": .string(version), "seed": .int(server.configuration.seed),
                    "banks": .array(server.servedBanks.map { .string($0.name) }), "node": server.registry.node.map { .string($0.name) },
                ]))
        }
        answers.others["getMetrics"] = { request in
            let hasSessions = try request.query.truth("sessions") ?? false
            return Metrics(server, version: version, startedAt: startedAt, hasSessions: hasSessions).response
        }
        answers.others["listBanks"] = { _ in
            .json(["banks": .array(server.registry.defaultSessions.map { $0.bank.json(baseURL: $0.baseURL) })])
        }
        answers.others["listFaultKinds"] = { _ in .json(["kinds": FaultKinds.json, "schema": AdminAPI.ruleSchema]) }
        answers.others["shutDown"] = { _ in .accepted { server.requestEnd() } }
        answers.others["drain"] = { _ in
            let grace = server.configuration.drainTime
            // Before the response: its client may ask `/readyz` next.
            server.rejectSessions(grace: grace)
            return .accepted { server.requestEnd(within: grace) }
        }
    }

    /// Adds the calls of a load balancer or of Kubernetes. Their responses contain no data.
    private func addProbes(to answers: inout AdminAnswers) {
        @Sendable func response(_ reason: Unreadiness?) -> AdminResponse {
            .text("text/plain; charset=utf-8", (reason?.rawValue ?? "ok") + "\n", status: reason == nil ? .ok : .serviceUnavailable)
        }
        answers.others["getLiveness"] = { _ in response(nil) }
        answers.others["getReadiness"] = { _ in response(await server.unreadiness) }
    }

    /// The JSON Schema of a rule: the dashboard makes its form of it.
    private static let ruleSchema = Schema.object(Rule.schema).document(
        title: "Rule", about: "The body of `POST …/sessions/{session}/faults`; the settings of a kind are in `definitions.fault-KIND`.")

    // MARK: requests

    func session(_ request: AdminRequest) throws -> BankSession {
        let id = request.segment("session")
        guard let session = server.registry.session(id) else { throw server.registry.absence(of: id) }
        return session
    }

    /// The request's body, decoded by `read`.
    ///
    /// - Parameter empty: the value of an empty body.
    func body<Value>(_ request: AdminRequest, empty: JSON = [:], _ read: (Node, Complaints) -> Value?) throws -> Value {
        let json = request.body.readableBytes == 0 ? empty : try JSON(parsing: request.body.readableBytesView)
        return try Complaints.collecting { complaints in read(Node(json), complaints) }
    }

    /// As ``body(_:empty:_:)``, for the keys of one object.
    func fields<Value>(
        _ request: AdminRequest, of schema: ObjectSchema, empty: JSON = [:], _ read: (Fields, Complaints) -> Value?
    ) throws -> Value {
        try body(request, empty: empty) { node, complaints in
            let fields = Fields(node, of: schema, complaints)
            let value = read(fields, complaints)
            fields.finish()
            return value
        }
    }
}

extension Bank {
    /// The bank as `/__admin/banks` shows it.
    func json(baseURL: String) -> JSON {
        [
            "name": .string(name), "about": .string(about), "base_url": .string(baseURL), "dialect": .string(dialect.name),
            "operations": .array(
                operations.map { operation in
                    [
                        "name": .string(operation.name), "request": .string(operation.requestLine),
                        "roles": .array(operation.roles.map { .string($0.rawValue) }),
                    ]
                }),
            "roles": .object(
                JSONObject(
                    Role.allCases.compactMap { role in
                        let bound = self.operations(of: role)
                        return bound.isEmpty ? nil : (key: role.rawValue, value: .array(bound.map { .string($0.name) }))
                    })),
            "customers": .array(customers.map { .string($0.login) }),
            "example": plainRead.map { .string("\($0.path)") } ?? .null, "needs_token": .bool(auth != nil),
        ]
    }
}
