import BankCore
import BankEngine
import BankModel
import Faults
import HTTPTypes
import Hummingbird
import NIOCore
import StubServer

/// The admin API: all operations on a running server, under `/__admin`.
struct AdminAPI: Sendable {
    let server: StubServer
    let configuration: AdminConfiguration
    let version: String
    let startedAt: Instant

    typealias Context = BasicRequestContext

    /// All calls, guarded.
    var router: Router<Context> {
        // Programs that wait for a server to start send HEAD as well as GET.
        let router = Router(context: Context.self, options: .autoGenerateHeadEndpoints)
        router.add(middleware: AdminNode(node: server.registry.node))
        router.add(middleware: AdminProblems())
        router.add(middleware: AdminProbes(server: server))
        router.add(middleware: AdminGuard(configuration, server.registry))
        router.add(middleware: AdminQueryNames())
        addDashboard(to: router)
        let admin = router.group("/__admin")
        addServer(to: admin)
        addPlans(to: admin.group("/outages"))
        let sessions = admin.group("/sessions")
        addSessions(to: sessions)
        let session = sessions.group("/:session").add(middleware: AdminStanding(server: server)).add(
            middleware: AdminDurability(registry: server.registry))
        addState(to: session)
        addTokens(to: session)
        addProviderState(to: session)
        addFaults(to: session)
        addOutage(to: session)
        addJournal(to: session)
        return router
    }

    private func addServer(to group: RouterGroup<Context>) {
        group.get { _, _ in Response.json(AdminCall.list) }
        group.get("/openapi.json") { _, _ in
            let document = AdminDocument(
                version: version, server: configuration.publicURL ?? "/", needsToken: configuration.token != nil)
            return Response.json(document.json)
        }
        group.get("/health") { _, _ in Response.json(["status": "ok"]) }
        group.get("/version") { _, _ in
            var object = JSONObject([
                ("version", .string(version)), ("seed", .int(server.configuration.seed)),
                ("banks", .array(server.servedBanks.map { .string($0.name) })),
            ])
            object["node"] = server.registry.node.map { .string($0.name) }
            return Response.json(.object(object))
        }
        group.get("/metrics") { request, _ in
            let hasSessions = try request.uri.queryParameters.truth("sessions") ?? false
            return Metrics(server, version: version, startedAt: startedAt, hasSessions: hasSessions).response
        }
        group.get("/banks") { _, _ in
            Response.json(["banks": .array(server.registry.standing.map { $0.bank.json(baseURL: $0.baseURL) })])
        }
        group.get("/fault-kinds") { _, _ in Response.json(["kinds": FaultKinds.json, "schema": AdminAPI.ruleSchema]) }
        group.post("/shutdown") { _, _ in Response.accepted { server.requestEnd() } }
        group.post("/drain") { _, _ in
            let grace = server.configuration.drainTime
            // Before the reply: its client may ask `/readyz` next.
            server.refuseSessions(grace: grace)
            return Response.accepted { server.requestEnd(within: grace) }
        }
    }

    /// The JSON Schema of a rule: the dashboard makes its form of it.
    private static let ruleSchema = Schema.object(Rule.schema).document(
        title: "Rule", about: "What `POST …/sessions/{session}/faults` takes; the settings of a kind are `definitions.fault-KIND`.")

    // MARK: requests

    /// The session that the path names.
    func session(_ context: Context) throws -> BankSession {
        let id = context.sessionID
        guard let session = server.registry.session(id) else { throw server.registry.absence(of: id) }
        return session
    }

    /// The request's body, decoded by `read`.
    ///
    /// - Parameter empty: the value of an empty body.
    func body<Value>(_ request: Request, empty: JSON = [:], _ read: (Node, Complaints) -> Value?) async throws -> Value {
        let bytes = try await request.body.collect(upTo: WireLimits.bodyBytes)
        let json = bytes.readableBytes == 0 ? empty : try JSON(parsing: bytes.readableBytesView)
        return try Complaints.collecting { complaints in read(Node(json), complaints) }
    }

    /// As ``body(_:empty:_:)``, for the keys of one object.
    func fields<Value>(
        _ request: Request, of schema: ObjectSchema, empty: JSON = [:], _ read: (Fields, Complaints) -> Value?
    ) async throws -> Value {
        try await body(request, empty: empty) { node, complaints in
            let fields = Fields(node, of: schema, complaints)
            let value = read(fields, complaints)
            fields.finish()
            return value
        }
    }
}

extension RequestContext {
    /// The id of the session that the path names, percent-decoded; empty if it names none.
    var sessionID: String {
        let named = parameters.get("session") ?? ""
        return percentDecoded(named, plusIsSpace: false) ?? named
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
