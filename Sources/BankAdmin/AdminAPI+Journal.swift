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
            return .fresh("application/json", .pieces { page.pieces(isBrief: query.isBrief) })
        }
        answers["getArchive"] = { request in
            let session = try session(request)
            let page = try await session.journal(try JournalQuery(request.query))
            let archive = HTTPArchive(page.records.withRequest, baseURL: session.baseURL, version: version)
            return .fresh("application/json", .pieces { archive.pieces })
        }
        answers["listUnmatched"] = { request in
            let session = try session(request)
            await session.settled()
            let unmatched = session.unmatched
            return .fresh("application/json", .pieces { unmatched.pieces })
        }
        answers["getExchange"] = { request in
            let (session, text) = (try session(request), request.segment("seq"))
            guard let seq = Int(text) else { throw AdminProblem.badRequest("found the exchange \(text), expected a number") }
            await session.settled()
            guard let (entry, nearest) = session.exchange(seq) else {
                throw AdminProblem.notFound("there is no exchange \(seq) in the journal; it was dropped, or does not exist yet")
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
            let suites = try ClientRule.suites(named: request.query["suites"] ?? "")
            let isSequential = try request.query.truth("sequential") ?? false
            await session.settled()
            return await withTaskExecutorPreference(long) {
                .json(session.verdict(suites: suites, isSequential: isSequential).json)
            }
        }
        answers["getLedger"] = { request in
            let last = try request.query.wholeNumber("last") ?? .max
            return try session(request).ledgerText(last: last).response
        }
        answers["getBalances"] = { request in .json(try session(request).balancesJSON) }
    }
}

extension JournalPage {
    /// The page's text, in pieces.
    fileprivate func pieces(isBrief: Bool) -> AnySequence<[UInt8]> {
        let rest =
            ",\"revision\":\(revision),\"oldest\":\(oldest),\"dropped\":\(dropped),\"next_since\":\(next)}"
        return AnySequence(
            [
                AnySequence([Array("{\"entries\":".utf8)]), entryPieces(records) { [isBrief ? $0.brief : $0.json] },
                AnySequence([Array(rest.utf8)]),
            ].joined())
    }
}

extension UnmatchedExchanges {
    /// Their text, in pieces.
    fileprivate var pieces: AnySequence<[UInt8]> {
        let list = entryPieces(records) { entry in
            var object = entry.json.object ?? JSONObject()
            object["nearest"] = .array(nearest(to: entry).map(\.json))
            return [.object(object)]
        }
        return AnySequence([AnySequence([Array("{\"entries\":".utf8)]), list, AnySequence([[UInt8(ascii: "}")]])].joined())
    }
}

/// The text of a JSON array of exchanges, in pieces.
func entryPieces<Entries: RandomAccessCollection<JournalEntry>>(
    _ entries: Entries, _ json: @escaping (JournalEntry) -> [JSON]
) -> AnySequence<[UInt8]> where Entries.Index == Int {
    // An entry has up to two bodies of 8 KiB, whose control characters take six bytes each.
    arrayPieces(entries, by: 4, json)
}
