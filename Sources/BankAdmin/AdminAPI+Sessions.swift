import BankCore
import BankEngine
import BankModel
import Faults
import HTTPTypes
import Hummingbird
import NIOCore
import StubServer

extension AdminAPI {
    /// Adds the calls that make, list and remove sessions.
    func addSessions(to group: RouterGroup<Context>) {
        group.get { _, _ in Response.json(["sessions": .array(server.registry.all.map(\.json))]) }
        group.post { request, _ in
            let wanted = try await newSession(request)
            return Response.json(try await open(wanted, named: wanted.name).json, status: .created)
        }
        group.put("/:session") { request, context in
            let id = context.sessionID
            let wanted = try await newSession(request)
            if let name = wanted.name, name != id {
                throw AdminProblem.badRequest("found the name \(name) and the address of \(id), expected one name, or none")
            }
            if let node = server.registry.node, !id.hasPrefix(node.prefix) {
                guard ServerNode(ofSession: id) == nil else { throw server.registry.absence(of: id) }
                throw AdminProblem.badRequest("found the id \(id), expected one that begins with \(node.prefix), as all of this node do")
            }
            if let session = server.registry.session(id) {
                if let difference = wanted.difference(from: session) { throw difference }
                return Response.json(session.json)
            }
            return Response.json(try await open(wanted, named: id).json, status: .created)
        }
        group.delete("/:session") { _, context in
            try await server.registry.removeDurably(try session(context).id)
            return Response.done
        }
    }

    private func newSession(_ request: Request) async throws -> NewSession {
        try await fields(request, of: AdminKeys.sessionSchema) { fields, complaints in NewSession(fields, complaints) }
    }

    /// Makes a session, with its outage if it begins with one.
    private func open(_ wanted: NewSession, named name: String?) async throws -> BankSession {
        let plan = try wanted.plan.map { name in try self.plan(named: name) }
        let session = try await server.openSession(
            bank: wanted.bank, name: name, seed: wanted.seed, beginning: wanted.clock?.beginning(server.configuration.clock.now()),
            listener: wanted.listener)
        guard let plan else { return session }
        do throws(OutageError) {
            _ = try session.start(plan)
        } catch {
            try? server.registry.remove(session.id)
            throw error
        }
        return session
    }

    /// Adds the calls for the whole state, the clock and the connections.
    func addState(to group: RouterGroup<Context>) {
        group.get { _, context in Response.json(try session(context).json) }
        group.post("/reset") { _, context in
            let session = try session(context)
            session.reset()
            await session.portsSettled()
            return Response.done
        }
        group.post("/snapshot") { _, context in
            try session(context).snapshot()
            return Response.done
        }
        group.post("/restore") { _, context in
            guard try session(context).restore() else {
                throw AdminProblem(status: .conflict, detail: "there is no snapshot to restore; POST …/snapshot first")
            }
            return Response.done
        }
        group.get("/clock") { _, context in Response.json(try session(context).clockJSON) }
        group.put("/clock") { request, context in
            let session = try session(context)
            let setting = try await fields(request, of: AdminKeys.clockSchema) { fields, complaints in ClockSetting(fields, complaints) }
            try session.withClock { clock, machine throws(ClockError) in try setting.apply(to: &clock, machine: machine) }
            return Response.json(session.clockJSON)
        }
        group.post("/clock/advance") { request, context in
            let session = try session(context)
            let duration = try await fields(request, of: AdminKeys.advanceSchema) { fields, _ in fields[AdminKeys.by] }
            try session.withClock { clock, machine throws(ClockError) in try clock.advance(by: duration, machine: machine) }
            return Response.json(session.clockJSON)
        }
        group.post("/connections/close") { request, context in
            let session = try session(context)
            _ = try await fields(request, of: AdminKeys.closeSchema) { fields, _ in fields[AdminKeys.idle] }
            await session.closeIdleConnections()
            return Response.done
        }
    }
}

extension BankSession {
    /// The session as the admin API shows it.
    fileprivate var json: JSON {
        var object = JSONObject([("id", .string(id)), ("bank", .string(bankName)), ("base_url", .string(baseURL))])
        object["port"] = port.map { .int($0) }
        object["seed"] = .int(seed)
        object["now"] = .string(now.rfc3339(.milliseconds))
        object["exchanges"] = .int(counts.exchanges)
        object["rules"] = .int(counts.rules)
        if let (outage, isOver, _) = outage, !isOver { object["outage"] = .string(outage.name) }
        return .object(object)
    }

    fileprivate var clockJSON: JSON {
        let (mode, skew) = virtualClock
        return ["now": .string(now.rfc3339(.milliseconds)), "mode": .string(mode.rawValue), "skew": .string(skew.shortText)]
    }
}
