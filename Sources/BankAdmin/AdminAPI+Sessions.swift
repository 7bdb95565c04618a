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
            let wanted = try await fields(request, of: AdminKeys.sessionSchema) { fields, complaints in NewSession(fields, complaints) }
            let plan = try wanted.plan.map { name in try self.plan(named: name) }
            let machineNow = server.configuration.clock.now()
            let beginning = wanted.clock.map {
                VirtualClock.Beginning(now: $0.now ?? machineNow, mode: $0.mode ?? .running, skew: $0.skew ?? .zero)
            }
            let session = try await server.openSession(
                bank: wanted.bank, name: wanted.name, seed: wanted.seed, beginning: beginning, listener: wanted.listener)
            if let plan {
                do throws(OutageError) {
                    _ = try session.start(plan)
                } catch {
                    try? server.registry.remove(session.id)
                    throw error
                }
            }
            return Response.json(session.json, status: .created)
        }
        group.delete("/:session") { _, context in
            try await server.registry.removeDurably(try session(context).id)
            return Response.done
        }
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

/// The settings of a new session.
private struct NewSession {
    let bank: String
    let name: String?
    let seed: UInt64?
    let clock: ClockSetting?
    let listener: SessionListener
    /// The outage with which it begins.
    let plan: String?

    init?(_ fields: Fields, _ complaints: Complaints) {
        let bank = fields[AdminKeys.bank]
        name = fields[AdminKeys.name]
        seed = fields[AdminKeys.seed]
        clock = fields[AdminKeys.clock].flatMap { node in
            if case .scalar = node.content { return node.instant(complaints).map { ClockSetting(now: $0) } }
            let fields = Fields(node, of: AdminKeys.clockSchema, complaints)
            defer { fields.finish() }
            return ClockSetting(fields, complaints)
        }
        listener =
            switch fields[AdminKeys.listen]?.scalar {
            case nil, "false": .none
            case "true": .clear()
            case "tls": .tls()
            case let other?: fields[AdminKeys.listen]?.wrong(complaints, "true or \"tls\", not \(other)") ?? .none
            }
        plan = fields[AdminKeys.plan]
        guard let bank else { return nil }
        self.bank = bank
    }
}

/// The new settings of a clock; nil leaves one unchanged.
private struct ClockSetting: Sendable {
    let now: Instant?
    let mode: VirtualClock.Mode?
    let skew: Duration?

    /// A frozen clock: the meaning of an instant alone.
    init(now: Instant) {
        self.now = now
        mode = .frozen
        skew = nil
    }

    init?(_ fields: Fields, _ complaints: Complaints) {
        now = fields[AdminKeys.now]
        mode = fields[AdminKeys.mode]
        skew = fields[AdminKeys.skew]
    }

    func apply(to clock: inout VirtualClock, machine: Instant) throws(ClockError) {
        if let now { try clock.set(to: now, machine: machine) }
        if let mode { clock.setMode(mode, machine: machine) }
        if let skew { clock.skew = skew }
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
