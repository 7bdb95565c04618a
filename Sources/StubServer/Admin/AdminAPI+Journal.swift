import BankCore
import BankModel
import HTTPTypes
import Hummingbird

extension AdminAPI {
    /// What happened in a session.
    func addJournal(to group: RouterGroup<Context>) {
        group.get("/journal") { request, context in
            let page = try page(request, of: try session(context))
            return Response.json([
                "entries": .array(page.entries.map(\.json)), "dropped": .int(page.dropped), "next_since": .int(page.next),
            ])
        }
        group.get("/journal/har") { request, context in
            let session = try session(context)
            return Response.json(HTTPArchive(try page(request, of: session).entries, baseURL: session.baseURL, version: version).json)
        }
        group.get("/journal/unmatched") { _, context in
            let unmatched = try session(context).unmatched().map { entry, nearest -> JSON in
                var object = entry.json.object ?? JSONObject()
                object["nearest"] = .array(nearest.map(\.json))
                return .object(object)
            }
            return Response.json(["entries": .array(unmatched)])
        }
        group.delete("/journal") { _, context in
            try session(context).clearJournal()
            return Response.done
        }
        group.get("/ledger") { _, context in Response.json(try session(context).ledger.json) }
    }

    /// The entries that the query asks for.
    private func page(_ request: Request, of session: BankSession) throws -> (entries: [JournalEntry], dropped: Int, next: Int) {
        func number(_ name: String) throws -> Int? {
            guard let text = request.uri.queryParameters.get(name) else { return nil }
            guard let number = Int(text), number >= 0 else {
                throw AdminProblem.badRequest("found \(name)=\(text), expected a whole number")
            }
            return number
        }
        let since = try number("since") ?? 0
        let status = try number("status")
        let limit = try number("limit") ?? Int.max
        let operation = request.uri.queryParameters.get("operation")
        let (all, dropped) = session.journal(since: since)
        let fitting = all.filter { entry in
            (status.map { $0 == entry.status } ?? true) && (operation.map { $0 == entry.operation } ?? true)
        }
        let entries = Array(fitting.prefix(limit))
        let next = fitting.count > entries.count ? entries.last?.seq ?? since : all.last?.seq ?? since
        return (entries, dropped, next)
    }
}

extension Ledger {
    /// The ledger as the admin API shows it: every movement is a balanced pair of postings.
    fileprivate var json: JSON {
        let postings = movements.flatMap { movement in
            [(movement.from, -movement.amount.minorUnits), (movement.to, movement.amount.minorUnits)].enumerated().map {
                side, posting -> JSON in
                [
                    "id": .string("\(movement.id).\(side + 1)"), "movement": .string(movement.id),
                    "account": .string(posting.0.description),
                    "amount": .string(Money(minorUnits: posting.1, currency: movement.amount.currency).major),
                    "currency": .string(movement.amount.currency.code), "at": .string(movement.at.rfc3339(.milliseconds)),
                ]
            }
        }
        return [
            "accounts": .array(
                changes.sorted { $0.key.description < $1.key.description }.map { account, change in
                    ["account": .string(account.description), "change_minor_units": .int(change)]
                }),
            "postings": .array(postings),
            "movements": .array(
                movements.map { movement in
                    [
                        "id": .string(movement.id), "operation": .string(movement.operation), "key": movement.key.map(JSON.string) ?? .null,
                        "state": .string(movement.state.rawValue),
                    ]
                }),
            "balanced": .bool(isBalanced),
        ]
    }
}
