import BankCore
import BankEngine
import BankModel
import Contracts
import HTTPTypes
import Hummingbird
import ServiceLifecycle

extension AdminAPI {
    /// Adds the calls that read a session's journal, verdict, ledger and balances.
    func addJournal(to group: RouterGroup<Context>) {
        group.get("/journal") { request, context in
            let (session, query) = (try session(context), try JournalQuery(request.uri.queryParameters))
            let page = try await page(of: session, query)
            return Response.json([
                "entries": .array(page.entries.map { query.isBrief ? $0.brief : $0.json }), "revision": .int(page.revision),
                "oldest": .int(page.oldest), "dropped": .int(page.dropped), "next_since": .int(page.next),
            ])
        }
        group.get("/journal/har") { request, context in
            let session = try session(context)
            let page = try await page(of: session, JournalQuery(request.uri.queryParameters))
            return Response.json(HTTPArchive(page.entries, baseURL: session.baseURL, version: version).json)
        }
        group.get("/journal/unmatched") { _, context in
            let unmatched = try session(context).unmatched().map { entry, nearest -> JSON in
                var object = entry.json.object ?? JSONObject()
                object["nearest"] = .array(nearest.map(\.json))
                return .object(object)
            }
            return Response.json(["entries": .array(unmatched)])
        }
        group.get("/journal/:seq") { _, context in
            let (session, text) = (try session(context), context.parameters.get("seq") ?? "")
            guard let seq = Int(text) else { throw AdminProblem.badRequest("found the exchange \(text), expected its number") }
            guard let (entry, nearest) = session.exchange(seq) else {
                throw AdminProblem.notFound("there is no exchange \(seq) in the journal; it was dropped, or has not come yet")
            }
            var object = entry.json.object ?? JSONObject()
            object["curl"] = CurlLine(entry, baseURL: session.baseURL).json
            object["nearest"] = .array(nearest.map(\.json))
            return Response.json(.object(object))
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
        group.get("/ledger") { request, context in
            let last = try request.uri.queryParameters.wholeNumber("last") ?? .max
            return try session(context).ledgerText(last: last).response
        }
        group.get("/balances") { _, context in Response.json(try session(context).balancesJSON) }
    }

    /// The result of a query; a waiting query ends at once when the server shuts down.
    private func page(of session: BankSession, _ query: JournalQuery) async throws -> JournalPage {
        try await cancelWhenGracefulShutdown { try await session.journal(query) }
    }
}
