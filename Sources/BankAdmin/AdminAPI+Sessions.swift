import BankCore
import BankEngine
import BankModel
import Faults
import NIOCore
import NIOHTTP1
import StubServer

extension AdminAPI {
    /// Adds the calls that make, list and remove sessions.
    func addSessions(to answers: inout AdminAnswers) {
        answers.others["listSessions"] = { request in
            let labels = request.query.all("label")
            if let label = labels.first(where: { !$0.contains("=") }) {
                throw AdminProblem.badRequest("found label=\(label), expected a name and a value such as label=team=ios")
            }
            let found = server.registry.all.filter { session in labels.allSatisfy { session.metadata.has(label: $0) } }
            return .json(["sessions": .array(found.map { .object($0.json) })])
        }
        answers.others["createSession"] = { request in
            let wanted = try newSession(request)
            return try await open(wanted, named: wanted.name)
        }
        answers.others["putSession"] = { request in
            let wanted = try newSession(request)
            let id = try id(toPut: request.segment("session"), wanted.name)
            if let session = server.registry.session(id) { return try await existing(session, as: wanted) }
            do {
                return try await open(wanted, named: id)
            } catch SessionError.nameTaken(let taken) {
                // Another call has made it meanwhile.
                guard let session = server.registry.session(id) else { throw SessionError.nameTaken(taken) }
                return try await existing(session, as: wanted)
            }
        }
        answers.others["deleteSession"] = { request in
            try await server.registry.removeDurably(try session(request).id)
            return .done
        }
    }

    /// The id of the session that a PUT is for: that of the address, with the node's prefix.
    ///
    /// - Parameter name: the name in its body.
    private func id(toPut address: String, _ name: String?) throws -> String {
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
    private func existing(_ session: BankSession, as wanted: NewSession) async throws -> AdminResponse {
        if let difference = wanted.difference(from: session) { throw difference }
        try await session.durable()
        return .json(.object(session.json))
    }

    private func newSession(_ request: AdminRequest) throws -> NewSession {
        try fields(request, of: AdminKeys.sessionSchema) { fields, complaints in NewSession(fields, complaints) }
    }

    /// Makes a session, with its outage if it begins with one; the response has its own token if the server demands one.
    private func open(_ wanted: NewSession, named name: String?) async throws -> AdminResponse {
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

    /// Adds the calls for the whole state, the clock and the connections.
    func addState(to answers: inout AdminAnswers) {
        answers.ofSession["getSession"] = { session, _ in .json(.object(session.json)) }
        answers.ofSession["resetSession"] = { session, _ in
            session.reset()
            await session.waitForPorts()
            return .done
        }
        answers.ofSession["takeSnapshot"] = { session, _ in
            session.snapshot()
            return .done
        }
        answers.ofSession["restoreSnapshot"] = { session, _ in
            guard session.restore() else {
                throw AdminProblem(status: .conflict, detail: "there is no snapshot to restore; call POST …/snapshot first")
            }
            return .done
        }
        answers.ofSession["getClock"] = { session, _ in .json(session.clockJSON) }
        answers.ofSession["setClock"] = { session, request in
            let setting = try fields(request, of: AdminKeys.clockSchema) { fields, complaints in ClockSetting(fields, complaints) }
            try session.withClock { clock, machine throws(ClockError) in try setting.apply(to: &clock, machine: machine) }
            return .json(session.clockJSON)
        }
        answers.ofSession["advanceClock"] = { session, request in
            let duration = try fields(request, of: AdminKeys.advanceSchema) { fields, _ in fields[AdminKeys.by] }
            try session.withClock { clock, machine throws(ClockError) in try clock.advance(by: duration, machine: machine) }
            return .json(session.clockJSON)
        }
        answers.ofSession["closeConnections"] = { session, request in
            _ = try fields(request, of: AdminKeys.closeSchema) { fields, _ in fields[AdminKeys.idle] }
            await session.closeIdleConnections()
            return .done
        }
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
