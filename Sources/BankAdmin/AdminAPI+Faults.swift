import BankCore
import BankEngine
import BankModel
import Faults
import HTTPTypes
import Hummingbird

extension AdminAPI {
    /// Adds the calls that set and remove rules, and release the exchanges that they hold.
    func addFaults(to group: RouterGroup<Context>) {
        group.get("/faults") { _, context in
            let session = try session(context)
            return Response.json(["faults": .array(session.rules.map { session.shown($0.json) }), "held": .int(session.heldCount)])
        }
        group.post("/faults") { request, context in
            let session = try session(context)
            let rule = try await body(request) { node, complaints in Rule(node, complaints) }
            let id = try session.set(rule)
            await session.portsSettled()
            return Response.json(["id": .string(id)], status: .created)
        }
        group.delete("/faults") { _, context in
            let session = try session(context)
            session.removeRules()
            await session.portsSettled()
            return Response.done
        }
        group.delete("/faults/:rule") { _, context in
            let id = context.parameters.get("rule") ?? ""
            let known = percentDecoded(id, plusIsSpace: false) ?? id
            let session = try session(context)
            guard session.removeRule(known) else {
                throw AdminProblem.notFound("there is no rule \(known); GET …/faults lists those that are set")
            }
            await session.portsSettled()
            return Response.done
        }
        group.post("/faults/release") { _, context in
            Response.json(["released": .int(try session(context).release())])
        }
    }
}

extension ArmedRule {
    /// The rule as it was set, with its id and counts.
    var json: JSON {
        var object = JSONObject([("id", .string(id))])
        for member in rule.json.object?.members ?? [] { object[member.key] = member.value }
        object["matched"] = .int(matched)
        object["fired"] = .int(fired)
        return .object(object)
    }
}
