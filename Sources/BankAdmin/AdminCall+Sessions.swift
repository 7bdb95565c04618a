import BankCore
import BankEngine
import BankModel
import Faults
import NIOCore
import NIOHTTP1
import StubServer

/// The calls that make, list and remove sessions, and those for the whole state, the clock and the connections of one.
extension AdminCall {
    static let listSessions = AdminCall(
        .GET, "/sessions", "listSessions", "lists the sessions; ?label=team=ios selects those with that label",
        query: [
            .sometimes(
                "label", .list(.text(TextSchema("a name and a value such as `team=ios`", pattern: "[\\s\\S]*=[\\s\\S]*")), atLeast: 0),
                "only sessions with this label; if repeated, with all of these labels")
        ],
        .ok(SessionShapes.sessions),
        answer: .ofServer { api, request in
            let labels = request.query.all("label")
            if let label = labels.first(where: { !$0.contains("=") }) {
                throw AdminProblem.badRequest("found label=\(label), expected a name and a value such as label=team=ios")
            }
            let found = api.server.registry.all.filter { session in labels.allSatisfy { session.metadata.has(label: $0) } }
            return .json(["sessions": .array(found.map { .object($0.json) })])
        })

    static let createSession = AdminCall(
        .POST, "/sessions", "createSession",
        "creates a session: bank, name, seed, clock, listen (true or \"tls\"), plan, labels, ttl, authorize, challenges",
        body: AdminKeys.sessionSchema, .created(SessionShapes.made),
        rejects: [.notFound, .conflict, .unprocessableContent, .tooManyRequests, .serviceUnavailable],
        answer: .ofServer { api, request in
            let wanted = try api.newSession(request)
            return try await api.open(wanted, named: wanted.name)
        })

    static let getSession = AdminCall(
        .GET, "/sessions/{session}", "getSession",
        "returns a session; a bank's default session has the bank's name, `default` is that of the first bank", .ok(SessionShapes.session),
        answer: .ofSession { _, session, _ in .json(.object(session.json)) })

    static let putSession = AdminCall(
        .PUT, "/sessions/{session}", "putSession",
        "creates it, with the body of POST: 201, 200 if it exists with these settings, 409 if it has others", body: AdminKeys.sessionSchema,
        .ok(SessionShapes.session), .created(SessionShapes.made), rejects: [.conflict, .unprocessableContent, .tooManyRequests],
        answer: .ofServer { api, request in
            let wanted = try api.newSession(request)
            let id = try api.id(toPut: request.segment("session"), wanted.name)
            if let session = api.server.registry.session(id) { return try await api.existing(session, as: wanted) }
            do {
                return try await api.open(wanted, named: id)
            } catch SessionError.nameTaken(let taken) {
                // Another call has made it meanwhile.
                guard let session = api.server.registry.session(id) else { throw SessionError.nameTaken(taken) }
                return try await api.existing(session, as: wanted)
            }
        })

    static let deleteSession = AdminCall(
        .DELETE, "/sessions/{session}", "deleteSession", "removes it; a default session cannot be removed", .done, rejects: [.conflict],
        answer: .ofServer { api, request in
            try await api.server.registry.removeDurably(try api.session(request).id)
            return .done
        })

    static let resetSession = AdminCall(
        .POST, "/sessions/{session}/reset", "resetSession", "resets money, clock, rules and journal; its tokens become invalid", .done,
        answer: .ofSession { _, session, _ in
            session.reset()
            await session.waitForPorts()
            return .done
        })

    static let takeSnapshot = AdminCall(
        .POST, "/sessions/{session}/snapshot", "takeSnapshot", "saves its state; a new snapshot replaces the old one", .done,
        answer: .ofSession { _, session, _ in
            session.snapshot()
            return .done
        })

    static let restoreSnapshot = AdminCall(
        .POST, "/sessions/{session}/restore", "restoreSnapshot", "restores its snapshot", .done, rejects: [.conflict],
        answer: .ofSession { _, session, _ in
            guard session.restore() else {
                throw AdminProblem(status: .conflict, detail: "there is no snapshot to restore; call POST …/snapshot first")
            }
            return .done
        })

    static let getClock = AdminCall(
        .GET, "/sessions/{session}/clock", "getClock", "returns its clock", .ok(SessionShapes.clock),
        answer: .ofSession { _, session, _ in .json(session.clockJSON) })

    static let setClock = AdminCall(
        .PUT, "/sessions/{session}/clock", "setClock", "sets its clock: now, mode (running or frozen), skew", body: AdminKeys.clockSchema,
        .ok(SessionShapes.clock), rejects: [.unprocessableContent],
        answer: .ofSession { api, session, request in
            let setting = try api.fields(request, of: AdminKeys.clockSchema) { fields, complaints in ClockSetting(fields, complaints) }
            try session.withClock { clock, machine throws(ClockError) in try setting.apply(to: &clock, machine: machine) }
            return .json(session.clockJSON)
        })

    static let advanceClock = AdminCall(
        .POST, "/sessions/{session}/clock/advance", "advanceClock", "advances its clock: by, such as 16m", body: AdminKeys.advanceSchema,
        .ok(SessionShapes.clock), rejects: [.unprocessableContent],
        answer: .ofSession { api, session, request in
            let duration = try api.fields(request, of: AdminKeys.advanceSchema) { fields, _ in fields[AdminKeys.by] }
            try session.withClock { clock, machine throws(ClockError) in try clock.advance(by: duration, machine: machine) }
            return .json(session.clockJSON)
        })

    static let closeConnections = AdminCall(
        .POST, "/sessions/{session}/connections/close", "closeConnections", "closes its idle connections", body: AdminKeys.closeSchema,
        .done,
        answer: .ofSession { api, session, request in
            _ = try api.fields(request, of: AdminKeys.closeSchema) { fields, _ in fields[AdminKeys.idle] }
            await session.closeIdleConnections()
            return .done
        })
}

extension AdminAPI {
    /// The id of the session that a PUT is for: that of the address, with the node's prefix.
    ///
    /// - Parameter name: the name in its body.
    fileprivate func id(toPut address: String, _ name: String?) throws -> String {
        guard let node = server.registry.node else {
            guard name == nil || name == address else { throw AdminAPI.twoNames(address, name) }
            return address
        }
        if let other = ServerNode(ofSession: address), other != node { throw server.registry.absence(of: address) }
        let id = node.id(named: address)
        guard name.map({ node.id(named: $0) == id }) ?? true else { throw AdminAPI.twoNames(address, name) }
        return id
    }

    private static func twoNames(_ address: String, _ name: String?) -> AdminProblem {
        .badRequest("found the name \(name ?? "") and the address of \(address), expected one name, or none")
    }

    /// The response to a PUT for a session that exists, once its opening is durable.
    fileprivate func existing(_ session: BankSession, as wanted: NewSession) async throws -> AdminResponse {
        if let difference = wanted.difference(from: session) { throw difference }
        try await session.durable()
        return .json(.object(session.json))
    }

    fileprivate func newSession(_ request: AdminRequest) throws -> NewSession {
        try fields(request, of: AdminKeys.sessionSchema) { fields, complaints in NewSession(fields, complaints) }
    }

    /// Makes a session, with its outage if it begins with one; the response has its own token if the server demands one.
    fileprivate func open(_ wanted: NewSession, named name: String?) async throws -> AdminResponse {
        let token = configuration.token.map { _ in configuration.makeSessionToken() }
        let plan = try wanted.plan.map { name in try self.plan(named: name) }
        let session = try await server.openSession(
            bank: wanted.bank, name: name, seed: wanted.seed, beginning: wanted.clock?.beginning(server.configuration.clock.now()),
            metadata: SessionMetadata(
                labels: wanted.labels ?? [:], timeToLive: wanted.timeToLive, tokenDigest: token?.digest,
                approvesAlone: wanted.approvesAlone,
                challenges: wanted.challenges
            ),
            listener: wanted.listener)
        do throws(OutageError) {
            if let plan { _ = try session.start(plan) }
        } catch {
            server.registry.remove(session)
            throw error
        }
        var made = session.json
        made["token"] = token.map { .string($0.text) }
        return .json(.object(made), status: .created)
    }
}

extension BankSession {
    fileprivate var json: JSONObject {
        let metadata = self.metadata
        let running = outage.flatMap { $0.isOver ? nil : $0.outage.name }
        let labels = JSONObject(metadata.labels.sorted { $0.key < $1.key }.map { ($0.key, .string($0.value)) })
        return JSONObject(known: [
            "id": .string(id), "bank": .string(bankName), "base_url": .string(baseURL), "port": port.map { .int($0) }, "seed": .int(seed),
            "now": .string(now.rfc3339(.milliseconds)), "exchanges": .int(counts.exchanges), "rules": .int(counts.rules),
            "outage": running.map(JSON.string), "labels": metadata.labels.isEmpty ? nil : .object(labels),
            "ttl": metadata.timeToLive.map { .string($0.shortText) },
        ])
    }

    fileprivate var clockJSON: JSON {
        let (mode, skew) = virtualClock
        return ["now": .string(now.rfc3339(.milliseconds)), "mode": .string(mode.rawValue), "skew": .string(skew.shortText)]
    }
}
