import BankCore
import BankEngine
import BankModel
import Contracts
import Faults
import NIOHTTP1
import StubServer

/// The calls for rules, the exchanges that they hold, and outages.
extension AdminCall {
    static let listPlans = AdminCall(
        .GET, "/outages", "listPlans", "lists the plans", .ok(ServerShapes.plans),
        answer: .ofServer { api, _ in
            let listed = api.plans.names().map { name -> JSON in
                do {
                    return ["name": .string(name), "about": .string(try api.plans.load(name).about)]
                } catch {
                    return ["name": .string(name), "error": .string("\(error)")]
                }
            }
            return .json(["outages": .array(listed)])
        })

    static let getPlan = AdminCall(
        .GET, "/outages/{name}", "getPlan", "returns a plan", .ok(ServerShapes.plan), rejects: [.notFound, .unprocessableContent],
        answer: .ofServer { api, request in
            .json(try api.plan(named: request.segment("name")).json)
        })

    static let listRules = AdminCall(
        .GET, "/sessions/{session}/faults", "listRules", "lists its rules in the order in which they are matched", .ok(SessionShapes.rules),
        answer: .ofSession { _, session, _ in
            .json(["faults": .array(session.rules.map { session.shown($0.json) }), "held": .int(session.heldCount)])
        })

    static let setRule = AdminCall(
        .POST, "/sessions/{session}/faults", "setRule", "sets a rule: fault, on, times, …", body: Rule.schema, .created(SessionShapes.rule),
        rejects: [.unprocessableContent],
        answer: .ofSession { api, session, request in
            let rule = try api.body(request) { node, complaints in Rule(node, complaints) }
            let id = try session.set(rule)
            await session.waitForPorts()
            return .json(["id": .string(id)], status: .created)
        })

    static let removeRules = AdminCall(
        .DELETE, "/sessions/{session}/faults", "removeRules", "removes all rules", .done,
        answer: .ofSession { _, session, _ in
            session.removeRules()
            await session.waitForPorts()
            return .done
        })

    static let removeRule = AdminCall(
        .DELETE, "/sessions/{session}/faults/{rule}", "removeRule", "removes a rule", .done,
        answer: .ofSession { _, session, request in
            let id = request.segment("rule")
            guard session.removeRule(id) else {
                throw AdminProblem.notFound("there is no rule \(id); GET …/faults lists those that are set")
            }
            await session.waitForPorts()
            return .done
        })

    static let releaseHeld = AdminCall(
        .POST, "/sessions/{session}/faults/release", "releaseHeld", "releases the requests and connections that rules hold",
        .ok(SessionShapes.released),
        answer: .ofSession { _, session, _ in
            .json(["released": .int(session.release())])
        })

    static let getOutage = AdminCall(
        .GET, "/sessions/{session}/outage", "getOutage", "returns the status of its outage", .ok(SessionShapes.outage),
        answer: .ofSession { _, session, _ in
            guard let (outage, isOver, left) = session.outage else {
                throw AdminProblem.notFound("no outage was started; POST …/outage starts one of GET /__admin/outages")
            }
            return .json(session.shown(outage.json(isRunning: !isOver, left: left, session.outageEffect)))
        })

    static let startOutage = AdminCall(
        .POST, "/sessions/{session}/outage", "startOutage", "starts an outage: name or plan, for, seed, replace",
        body: AdminKeys.outageSchema, .created(SessionShapes.started), rejects: [.conflict, .unprocessableContent],
        answer: .ofSession { api, session, request in
            let start = try api.fields(request, of: AdminKeys.outageSchema) { fields, complaints in OutageStart(fields, complaints) }
            let plan = try start.plan ?? api.plan(named: start.name ?? "")
            let outage = try session.start(plan, limit: start.limit, seed: start.seed, replaces: start.replaces)
            await session.waitForPorts()
            return .json(session.shown(outage.startedJSON(of: plan)), status: .created)
        })

    static let endOutage = AdminCall(
        .DELETE, "/sessions/{session}/outage", "endOutage", "stops it", .done,
        answer: .ofSession { _, session, _ in
            guard session.endOutage() else { throw AdminProblem.notFound("no outage was started, so none can be stopped") }
            await session.waitForPorts()
            return .done
        })
}

extension AdminAPI {
    fileprivate var plans: PlanSource { configuration.plans }

    /// The plan with that name.
    ///
    /// - Throws: 404 for an unknown plan, and 422 for a faulty one.
    func plan(named name: String) throws -> Plan {
        let isKnown = plans.names().contains(name)
        // A path as a name would give clients of the admin API access to any file.
        guard isKnown else {
            let hint = didYouMean(name, among: plans.names())
            throw AdminProblem.notFound("found the outage \"\(name)\", expected \(oneOf(plans.names()))\(hint)")
        }
        do {
            return try plans.load(name)
        } catch {
            throw AdminProblem(status: .unprocessableContent, detail: "\(error)")
        }
    }
}

/// The outage to start, and its options.
private struct OutageStart: Sendable {
    let name: String?
    let plan: Plan?
    let limit: Duration?
    let seed: UInt64?
    let replaces: Bool

    init?(_ fields: Fields, _ complaints: Complaints) {
        let name = fields[AdminKeys.outage]
        let inline = fields[AdminKeys.inline]
        self.name = name
        plan = inline.flatMap { Plan($0, name: name ?? "inline", complaints) }
        limit = fields[AdminKeys.length]
        seed = fields[AdminKeys.seed]
        replaces = fields[AdminKeys.replace] ?? false
        if name == nil, inline == nil {
            complaints.add(found: "an outage without `name`", expected: "the name of one, or a `plan`", at: fields.node.position)
            return nil
        }
    }
}

extension ArmedOutage {
    /// The response to a start: the outage's seed, entries and rules.
    fileprivate func startedJSON(of plan: Plan) -> JSON {
        .object(known: [
            "name": .string(name), "seed": seed.map { .int($0) }, "entries": plan.json["entries"],
            "skipped": .array(skipped.map(JSON.string)), "rules": .array(rules.map { .string($0.id) }),
        ])
    }

    /// The outage's current state.
    fileprivate func json(isRunning: Bool, left: Duration?, _ effect: OutageEffect?) -> JSON {
        let spans = phases.map { phase in
            JSON.object(known: [
                "from_ms": .int(phase.from.nanoseconds / 1_000_000),
                "until_ms": phase.until.map { .int($0.nanoseconds / 1_000_000) },
            ])
        }
        return .object(known: [
            "name": .string(name), "running": .bool(isRunning),
            "left_ms": isRunning ? left.map { .int($0.nanoseconds / 1_000_000) } : nil,
            "clock": .string(window.clock.rawValue), "began_at": .string(began.rfc3339(.milliseconds)), "phases": .array(spans),
            "effect": effect?.json, "seed": seed.map { .int($0) }, "rules": .array(rules.map(\.json)),
            "skipped": .array(skipped.map(JSON.string)),
        ])
    }
}

extension ArmedRule {
    /// The rule as it was set, with its id and counts.
    var json: JSON {
        var object = JSONObject([("id", .string(id))])
        for member in rule.json.object?.members ?? [] { object[member.key] = member.value }
        object["matched"] = .int(matched)
        object["fired"] = .int(applied)
        return .object(object)
    }
}
