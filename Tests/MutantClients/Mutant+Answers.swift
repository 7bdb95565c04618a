import BankClient
import BankModel

extension Mutant {
    static var answers: [Mutant] {
        [
            Mutant(
                "never-reads-status", "ignores the status and reads only the body",
                killedBy: [400, 401, 403, 404, 405, 409, 410, 415, 422, 429, 500, 502, 503, 504].map { "errors.\($0)" } + [
                    "errors.maintenance-outage"
                ]
            ) { parts, _ in
                parts.cache = nil
                parts.caller.rules = NeverReadsStatus()
            },
            Mutant(
                "unreadable-is-an-empty-list", "treats an unreadable body as an empty list",
                killedBy: [
                    "body.html-200", "body.malformed-json", "body.own-text-damaged", "body.own-text-extended", "body.cut-honest",
                    "body.byte-order-mark", "body.bad-utf8", "body.deep-nesting",
                ]
            ) {
                parts, _ in
                parts.caller.reader = UnreadableIsEmpty()
            },
        ]
    }
}

private struct NeverReadsStatus: ResponseRules {
    func judge(_ response: HTTPResponse) -> ResponseVerdict { ResponseVerdict(nil) }
}

/// Nothing where something should be, in the shape of every bank here.
private struct UnreadableIsEmpty: BodyReading {
    func json(_ response: HTTPResponse) throws(ClientFailure) -> JSON {
        if let json = try? StrictBodyReader().json(response) { return json }
        return .nothingToShow
    }
}
