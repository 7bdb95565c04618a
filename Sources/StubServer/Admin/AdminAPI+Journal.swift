import BankCore
import BankModel
import Contracts
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
        group.get("/verdict") { request, context in
            let session = try session(context)
            let suites = try AttachedRule.suites(named: request.uri.queryParameters.get("suites") ?? "")
            return Response.json(session.verdict(suites: suites).json)
        }
        group.get("/ledger") { _, context in Response.json(try session(context).ledgerJSON) }
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
