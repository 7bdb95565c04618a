import BankCore
import BankEngine
import BankModel
import Contracts

extension AdminAPI {
    /// Adds the calls that read a session's journal, verdict, ledger and balances.
    func addJournal(to answers: inout AdminAnswers) {
        answers["getJournal"] = { request in
            let (session, query) = (try session(request), try JournalQuery(request.query))
            let page = try await session.journal(query)
            return .json([
                "entries": .array(page.entries.map { query.isBrief ? $0.brief : $0.json }), "revision": .int(page.revision),
                "oldest": .int(page.oldest), "dropped": .int(page.dropped), "next_since": .int(page.next),
            ])
        }
        answers["getArchive"] = { request in
            let session = try session(request)
            let page = try await session.journal(try JournalQuery(request.query))
            return .json(HTTPArchive(page.entries, baseURL: session.baseURL, version: version).json)
        }
        answers["listUnmatched"] = { request in
            let unmatched = try session(request).unmatched().map { entry, nearest -> JSON in
                var object = entry.json.object ?? JSONObject()
                object["nearest"] = .array(nearest.map(\.json))
                return .object(object)
            }
            return .json(["entries": .array(unmatched)])
        }
        answers["getExchange"] = { request in
            let (session, text) = (try session(request), request.segment("seq"))
            guard let seq = Int(text) else { throw AdminProblem.badRequest("found the exchange \(text), expected its number") }
            guard let (entry, nearest) = session.exchange(seq) else {
                throw AdminProblem.notFound("there is no exchange \(seq) in the journal; it was dropped, or has not come yet")
            }
            var object = entry.json.object ?? JSONObject()
            object["curl"] = CurlLine(entry, baseURL: session.baseURL).json
            object["nearest"] = .array(nearest.map(\.json))
            return .json(.object(object))
        }
        answers["clearJournal"] = { request in
            try session(request).clearJournal()
            return .done
        }
        answers["getVerdict"] = { request in
            let session = try session(request)
            let suites = try AttachedRule.suites(named: request.query["suites"] ?? "")
            return .json(session.verdict(suites: suites).json)
        }
        answers["getLedger"] = { request in
            let last = try request.query.wholeNumber("last") ?? .max
            return try session(request).ledgerText(last: last).response
        }
        answers["getBalances"] = { request in .json(try session(request).balancesJSON) }
    }
}
