import BankCore
import BankEngine
import BankModel
import NIOHTTP1

extension AdminAPI {
    /// Adds the calls that list and decide challenges.
    func addChallenges(to answers: inout AdminAnswers) {
        answers["listChallenges"] = { request in
            let session = try session(request)
            let code = session.challengeCode
            return .json(["challenges": .array(session.challenges.map { .object($0.object(code: code)) })])
        }
        answers["decideChallenge"] = { request in
            let session = try session(request)
            let text = request.segment("challenge")
            guard let number = Int(text) else {
                throw AdminProblem.notFound("found the challenge \(text), expected its number, such as 1")
            }
            let decision = try fields(request, of: AdminKeys.verdictSchema) { fields, _ in fields[AdminKeys.verdict] }
            let decided = try session.decide(challenge: number, approves: decision == .approve)
            return .json(.object(decided.object(code: session.challengeCode)))
        }
    }
}

extension Challenge {
    /// - Parameter code: the right one of an `otp` challenge.
    fileprivate func object(code: String) -> JSONObject {
        var object = JSONObject([
            ("number", .int(Int64(number))), ("id", .string(id)), ("kind", .string(kind.rawValue)), ("login", .string(customer)),
            ("operation", .string(operation)), ("state", .string(stage.rawValue)),
        ])
        if kind == .otp { object["code"] = .string(code) }
        object["wrong_codes"] = .int(Int64(wrongCodes))
        object["expires_at"] = .string(expiresAt.rfc3339(.milliseconds))
        return object
    }
}
