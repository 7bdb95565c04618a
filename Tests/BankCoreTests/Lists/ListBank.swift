import BankCore
import BankModel
import TestBanks

/// A bank of lists of every kind, with random rows: some share a key, some an instant, some have no date, some name their
/// owner.
enum ListBank {
    /// The format of the entries' dates.
    enum Dates: CaseIterable {
        case absolute, relative
    }

    /// Ann's, bob's, cat's and again ann's; the last two name their owner.
    static let accounts = ["a1", "a2", "b1", "c1", "c2"]
    static let kinds = ["card", "cash", "wire"]
    static let rows = 60

    /// The bank's files, their rows drawn from the seed.
    static func files(_ dates: Dates, seed: UInt64) -> TestFiles {
        var dice = SeededGenerator(seed: seed)
        func pick(_ texts: [String]) -> String { texts[Int(dice.next() % UInt64(texts.count))] }
        func list(_ row: (Int) -> String) -> String { "[\((0..<rows).map { "{\(row($0)), \"n\": \($0)}" }.joined(separator: ",\n"))]" }
        let entries = list { number in
            let key = pick(["e\(number)", "e\(number)", "e\(number)", "twice", "thrice"])
            let kind = pick(kinds + ["", "ü\\u001f"])
            let date = date(dates, &dice).map { ", \"at\": \"\($0)\"" } ?? ""
            return "\"id\": \"\(key)\", \"_account\": \"\(pick(accounts))\", \"kind\": \(kind.isEmpty ? "null" : "\"\(kind)\"")\(date)"
        }
        let notes = list { "\"id\": \"n\($0)\", \"_customer\": \"\(pick(["ann", "bob", "cat"]))\", \"kind\": \"\(pick(kinds))\"" }
        let spots = list { "\"id\": \"s\($0)\", \"in\": {\"rank\": \(dice.next() % 20)}" }
        let holders = accounts.map { account in
            let owner = account.hasPrefix("c") ? ", \"_customer\": \"\(account == "c1" ? "cat" : "ann")\"" : ""
            return "{\"id\": \"\(account)\", \"kind\": \"\(pick(kinds))\", \"n\": \(account.utf8.reduce(0) { $0 * 256 + Int($1) })\(owner)}"
        }
        return TestFiles([
            "till/bank.yaml": bank.replacing("DATES", with: dates == .relative ? ", dates: {at: seconds}" : ""),
            "till/accounts.json": "[\(holders.joined(separator: ","))]",
            "till/entries.json": entries, "till/notes.json": notes, "till/spots.json": spots,
            "dialects/terse.yaml": TestFiles.till["dialects/terse.yaml"] ?? "",
        ])
    }

    /// A date among few, so that many are equal; nil for none.
    private static func date(_ dates: Dates, _ dice: inout SeededGenerator) -> String? {
        let (day, half) = (Int(dice.next() % 9) + 1, dice.next().isMultiple(of: 2))
        switch (dates, dice.next() % 12) {
        case (_, 0): return nil
        case (.absolute, 1): return "soon"
        case (.absolute, 2): return "2025-11-0\(day)"
        case (.absolute, _): return "2025-11-0\(day)T\(half ? "08:30:00Z" : "12:00:00.500+02:00")"
        case (.relative, _): return "@-\(day)d\(half ? "08:30" : "")"
        }
    }

    private static let bank = """
        bank: till
        about: Lists for tests.
        base: /v1
        dialect: terse
        dirty: [key, date]
        operations_of_a_client: []
        tables:
          accounts: {file: accounts.json, key: id, belongs: owner}
          entries: {file: entries.json, key: id, order: -at, belongs: {_account: accounts}DATES}
          notes: {file: notes.json, key: id, belongs: {_customer: customer}}
          spots: {file: spots.json, key: id, order: in.rank}
        customers:
        - {login: ann, owns: {accounts: [a1, a2]}}
        - {login: bob, owns: {accounts: [b1]}}
        - {login: cat}
        auth: {lifetime: 10m, scopes: [read]}
        operations:
          accounts: {request: GET /accounts, reply: {list: {rows: accounts}}}
          holders: {request: "GET /holders/{kind}", reply: {list: {rows: accounts, where: {kind: {path: kind}}}}}
          account: {request: "GET /accounts/{id}", reply: {row: accounts, where: {id: {path: id}}}}
          entries:
            request: GET /entries
            reply: {list: {rows: entries, between: {field: at, from: {query: from}, to: {query: to}}, page: PAGE}, next: {page: next}}
          entriesOf:
            request: GET /accounts/{id}/entries
            reply:
              list: {rows: entries, where: {_account: {path: id}}, between: {field: at, from: {query: from}, to: {query: to}}, page: PAGE}
              next: {page: next}
          kindsOf:
            request: GET /accounts/{id}/entries/{kind}
            reply:
              list: {rows: entries, where: {_account: {path: id}, kind: {path: kind}}, between: {field: at, from: {query: from}, to: {query: to}}, page: PAGE}
              next: {page: next}
          kinds:
            request: GET /kinds
            reply: {list: {rows: entries, where: {kind: {query: kind}}, page: PAGE}, next: {page: next}}
          entry: {request: "GET /entries/{id}", reply: {row: entries, where: {id: {path: id}}}}
          firstOfKind: {request: "GET /first/{kind}", reply: {row: entries, where: {kind: {path: kind}}}}
          notes:
            request: GET /notes
            reply: {list: {rows: notes, page: {style: since-id, cursor: cursor, limit: limit, size: 7, largest: 20}}, next: {page: next}}
          spots:
            request: GET /spots
            open: true
            reply: {list: {rows: spots, page: {style: page-number, cursor: cursor, limit: limit, size: 7, largest: 20}}, next: {page: next}}
          add:
            request: POST /entries
            takes: {json: [id, account, at]}
            insert: {entries: {id: {body: id}, _account: {body: account}, at: {body: at}, kind: {body: kind}, n: {body: n}}}
            status: 201
            reply: {inserted: entries}
          open:
            request: POST /accounts
            takes: {json: [id]}
            insert: {accounts: {id: {body: id}, _customer: {customer: login}, kind: {body: kind}, n: {body: n}}}
            status: 201
            reply: {inserted: accounts}
          jot:
            request: POST /notes
            takes: {json: [id]}
            insert: {notes: {id: {body: id}, _customer: {customer: login}, kind: {body: kind}, n: {body: n}}}
            status: 201
            reply: {inserted: notes}
          mark:
            request: POST /spots
            takes: {json: [id]}
            insert: {spots: {id: {body: id}, in: {rank: {body: rank}}, n: {body: n}}}
            status: 201
            reply: {inserted: spots}
        """.replacing("PAGE", with: "{style: cursor, cursor: cursor, limit: limit, size: 7, largest: 20}")
}
