import BankCore
import BankEngine
import BankModel
import Faults
import NIOHTTP1

extension AdminAPI {
    /// Adds the calls that set and remove rules, and release the exchanges that they hold.
    func addFaults(to answers: inout AdminAnswers) {
        answers["listRules"] = { request in
            let session = try session(request)
            return .json(["faults": .array(session.rules.map { session.shown($0.json) }), "held": .int(session.heldCount)])
        }
        answers["setRule"] = { request in
            let session = try session(request)
            let rule = try body(request) { node, complaints in Rule(node, complaints) }
            let id = try session.set(rule)
            await session.portsSettled()
            return .json(["id": .string(id)], status: .created)
        }
        answers["removeRules"] = { request in
            let session = try session(request)
            session.removeRules()
            await session.portsSettled()
            return .done
        }
        answers["removeRule"] = { request in
            let (session, id) = (try session(request), request.segment("rule"))
            guard session.removeRule(id) else {
                throw AdminProblem.notFound("there is no rule \(id); GET …/faults lists those that are set")
            }
            await session.portsSettled()
            return .done
        }
        answers["releaseHeld"] = { request in
            .json(["released": .int(try session(request).release())])
        }
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
