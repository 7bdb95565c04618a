import BankCore
import BankEngine
import BankModel
import Faults
import NIOHTTP1
import StubServer

/// The calls for the server as a whole.
extension AdminCall {
    static let listCalls = AdminCall(
        .GET, "", "listCalls", "lists the calls", .ok(ServerShapes.calls),
        answer: .ofServer { _, _ in .json(AdminCall.list) })

    static let getDescription = AdminCall(
        .GET, "/openapi.json", "getDescription", "this API in OpenAPI 3.1", .anyObject,
        answer: .ofServer { api, _ in
            let document = AdminDocument(
                version: api.version, server: api.configuration.publicURL ?? "/", needsToken: api.configuration.token != nil)
            return .json(document.json)
        })

    static let getHealth = AdminCall(
        .GET, "/health", "getHealth", "reports that the server is running", .ok(ServerShapes.health),
        answer: .ofServer { _, _ in .json(["status": "ok"]) })

    static let getLiveness = AdminCall(
        .GET, "/livez", "getLiveness", "reports that the process is alive; needs no token, any Host is allowed", query: nil, root: "",
        .text(.ok),
        answer: .ofServer { _, _ in AdminCall.probe(nil) })

    static let getReadiness = AdminCall(
        .GET, "/readyz", "getReadiness",
        "reports whether the server accepts new clients: 503 while it drains or cannot write its state file; needs no token, any Host is allowed",
        query: nil, root: "", .text(.ok), .text(.serviceUnavailable),
        answer: .ofServer { api, _ in AdminCall.probe(await api.server.unreadiness) })

    static let getVersion = AdminCall(
        .GET, "/version", "getVersion", "returns the version, the seed and the names of the banks", .ok(ServerShapes.version),
        answer: .ofServer { api, _ in
            .json(
                .object(known: [
                    "version": .string(api.version), "seed": .int(api.server.configuration.seed),
                    "banks": .array(api.server.servedBanks.map { .string($0.name) }),
                    "node": api.server.registry.node.map { .string($0.name) },
                ]))
        })

    static let getMetrics = AdminCall(
        .GET, "/metrics", "getMetrics", "returns metrics for Prometheus; ?sessions=true adds those of each session",
        query: [.sometimes("sessions", .bool, "whether to include the metrics of each session")], .text(.ok),
        answer: .ofServer { api, request in
            let hasSessions = try request.query.truth("sessions") ?? false
            return Metrics(api.server, version: api.version, startedAt: api.startedAt, hasSessions: hasSessions).response
        })

    static let listBanks = AdminCall(
        .GET, "/banks", "listBanks", "lists the banks with their operations, roles and customers", .ok(ServerShapes.banks),
        answer: .ofServer { api, _ in
            .json(["banks": .array(api.server.registry.defaultSessions.map { $0.bank.json(baseURL: $0.baseURL) })])
        })

    static let listFaultKinds = AdminCall(
        .GET, "/fault-kinds", "listFaultKinds",
        "lists the kinds of fault with point, protocols and example settings; includes the JSON Schema of a rule", .ok(ServerShapes.kinds),
        answer: .ofServer { _, _ in .json(["kinds": FaultKinds.json, "schema": AdminCall.ruleSchema]) })

    static let shutDown = AdminCall(
        .POST, "/shutdown", "shutDown", "stops the server after at most 5 s for responses in progress", .accepted,
        answer: .ofServer { api, _ in .accepted { api.server.requestEnd() } })

    static let drain = AdminCall(
        .POST, "/drain", "drain", "stops it as SIGTERM does: no new sessions; responses in progress have the time of `serve --drain`",
        .accepted,
        answer: .ofServer { api, _ in
            let grace = api.server.configuration.drainTime
            // Before the response: its client may ask `/readyz` next.
            api.server.rejectSessions(grace: grace)
            return .accepted { api.server.requestEnd(within: grace) }
        })

    /// The response to a load balancer or to Kubernetes. It contains no data.
    private static func probe(_ reason: Unreadiness?) -> AdminResponse {
        .text("text/plain; charset=utf-8", (reason?.rawValue ?? "ok") + "\n", status: reason == nil ? .ok : .serviceUnavailable)
    }

    /// The JSON Schema of a rule: the dashboard makes its form of it.
    private static let ruleSchema = Schema.object(Rule.schema).document(
        title: "Rule", about: "The body of `POST …/sessions/{session}/faults`; the settings of a kind are in `definitions.fault-KIND`.")
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
