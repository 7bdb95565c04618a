import BankModel
import TestBanks
import Testing

@testable import BankCore

/// Operations that change and remove rows, and `If-Match`.
@Suite struct RowChangeTests {
    /// The test bank with payees that can be renamed and removed, and with a bank's own rows between them.
    static let files = TestFiles()
        .replacing(
            "till/payees.json", "[{\"id\": \"p1\", \"name\": \"Grocer\"}]",
            with: #"[{"id": "p1", "name": "Grocer", "town": "Leeds"}, {"id": "p2", "name": "Baker"}, {"id": "p3", "name": "Tailor"}]"#
        )
        .replacing(
            "till/bank.yaml", "  clock: {",
            with: """
                  payees: {request: GET /payees, reply: {payees: {rows: payees, page: {style: cursor, cursor: cursor, size: 20, largest: 20}}}}
                  payee: {request: "GET /payees/{id}", etag: true, reply: {row: payees, where: {id: {path: id}}}}
                  rename:
                    request: PATCH /payees/{id}
                    takes: {json: [], kinds: {name: text}}
                    update: {row: {payees: {path: id}}, with: {name: {body: name}, town: {body: town}}}
                    reply: {row: payees, where: {id: {path: id}}}
                  renameIfKnown:
                    request: PUT /payees/{id}
                    takes: {json: [name]}
                    if_match: {read: payee, required: true}
                    update: {row: {payees: {path: id}}, with: {name: {body: name}}}
                    reply: {row: payees, where: {id: {path: id}}}
                    refuse:
                      precondition-failed: {status: 412, body: {error: changed}}
                      precondition-required: {status: 428, body: {error: unconditional}}
                  remove: {request: "DELETE /payees/{id}", delete: {payees: {path: id}}, status: 204}
                  removeShown: {request: "DELETE /payees/{id}/shown", delete: {payees: {path: id}}, reply: {payees: {rows: payees}}}
                  newPayee: {request: POST /payees, takes: {json: [id, name]}, insert: {payees: {id: {body: id}, name: {body: name}}}, reply: {inserted: payees}}
                  close: {request: "DELETE /accounts/{id}", delete: {accounts: {path: id}}, status: 204}
                  nickname: {request: "PATCH /accounts/{id}", takes: {json: [name]}, update: {row: {accounts: {path: id}}, with: {name: {body: name}}}, reply: {row: accounts, where: {id: {path: id}}}}
                  note: {request: "PATCH /entries/{id}", takes: {json: [note]}, update: {row: {entries: {path: id}}, with: {note: {body: note}}}, reply: {row: entries, where: {id: {path: id}}}}
                  all: {request: GET /entries, scope: read, reply: {entries: {rows: entries}}}
                  clock: {
                """)

    private func names(_ till: inout Till, _ token: String) -> [String?] {
        till.send("GET", "/v1/payees", token: token).json["payees"]?.array?.map { $0["name"]?.string } ?? []
    }

    @Test func `an update changes the named members and keeps the place in the list`() throws {
        var till = try Till(Self.files)
        let ann = try till.token()
        let renamed = till.send("PATCH", "/v1/payees/p1", token: ann, body: #"{"name": "Greengrocer"}"#)

        #expect(renamed.json == ["id": "p1", "name": "Greengrocer", "town": "Leeds"])
        #expect(till.send("GET", "/v1/payees/p1", token: ann).json == renamed.json)
        #expect(names(&till, ann) == ["Greengrocer", "Baker", "Tailor"])

        #expect(till.send("PATCH", "/v1/payees/p1", token: ann, body: #"{"town": null}"#).json["town"] == .null)
        #expect(names(&till, ann) == ["Greengrocer", "Baker", "Tailor"], "a second change of the same row")
        #expect(till.pay("1.00", key: "k1", token: ann).isSuccess, "the row is still a payee")
    }

    @Test func `a row that an operation added is changed in its place, and removed`() throws {
        var till = try Till(Self.files)
        let ann = try till.token()
        for id in ["p8", "p9"] {
            #expect(till.send("POST", "/v1/payees", token: ann, body: #"{"id": "\#(id)", "name": "\#(id)"}"#).isSuccess)
        }
        _ = till.send("PATCH", "/v1/payees/p8", token: ann, body: #"{"name": "Cobbler"}"#)
        #expect(names(&till, ann) == ["Grocer", "Baker", "Tailor", "Cobbler", "p9"])

        #expect(till.send("DELETE", "/v1/payees/p8", token: ann).status == 204)
        #expect(names(&till, ann) == ["Grocer", "Baker", "Tailor", "p9"])
        #expect(till.send("POST", "/v1/payees", token: ann, body: #"{"id": "p8", "name": "again"}"#).isSuccess, "the key is free")
        #expect(names(&till, ann) == ["Grocer", "Baker", "Tailor", "p9", "again"])
    }

    @Test func `the response to a removal does not list the row`() throws {
        var till = try Till(Self.files)
        let ann = try till.token()
        #expect(till.send("POST", "/v1/payees", token: ann, body: #"{"id": "p8", "name": "Cobbler"}"#).isSuccess)
        till.now = Instant(seconds: 1_763_553_601)

        let response = till.send("DELETE", "/v1/payees/p8/shown", token: ann)
        #expect(response.json["payees"]?.array?.map { $0["name"]?.string } == ["Grocer", "Baker", "Tailor"])
    }

    @Test func `a removed row is gone everywhere`() throws {
        var till = try Till(Self.files)
        let ann = try till.token()
        #expect(till.send("DELETE", "/v1/payees/p2", token: ann).status == 204)

        #expect(names(&till, ann) == ["Grocer", "Tailor"])
        #expect(till.send("GET", "/v1/payees/p2", token: ann).error == "not-found")
        #expect(till.send("DELETE", "/v1/payees/p2", token: ann).error == "not-found")
        #expect(till.send("PATCH", "/v1/payees/p2", token: ann, body: #"{"name": "x"}"#).error == "not-found")
        #expect(till.pay("1.00", key: "k1", token: ann, to: "p2").error == "bad-request")
        #expect(till.state.visibleKeys("payees", customer: "ann") == ["p1", "p3"])
    }

    @Test func `a customer changes and removes only rows of their own`() throws {
        var till = try Till(Self.files)
        let bob = try till.token("bob")
        #expect(till.send("PATCH", "/v1/accounts/a1", token: bob, body: #"{"name": "mine"}"#).error == "not-found")
        #expect(till.send("DELETE", "/v1/accounts/a1", token: bob).error == "not-found")
        #expect(till.state.log.changes.isEmpty)
    }

    @Test func `an account with money cannot be removed, an empty one can, and its rows go with it`() throws {
        var till = try Till(Self.files)
        let ann = try till.token()
        let rejected = till.send("DELETE", "/v1/accounts/a2", token: ann)
        #expect(rejected.error == "bad-request")
        #expect(rejected.json["detail"]?.string?.contains("5.50 GBP") == true)

        let move = #"{"from": "a1", "to": "a2", "amount": "100.00"}"#
        #expect(till.send("POST", "/v1/payments", token: ann, key: "k1", body: move).isSuccess)
        let kept = Set(till.send("GET", "/v1/accounts/a1/entries", token: ann).json["entries"]?.array?.map { $0["id"]?.string } ?? [])
        #expect(!kept.isEmpty)
        #expect(till.send("DELETE", "/v1/accounts/a1", token: ann).status == 204)
        #expect(till.send("GET", "/v1/accounts", token: ann).json["accounts"]?.array?.map { $0["id"]?.string } == ["a2"])
        #expect(till.send("GET", "/v1/accounts/a1/entries", token: ann).error == "not-found")
        #expect(till.state.ledger.isBalanced)

        var other = try Till(Self.files)
        let fresh = try other.token()
        let shown = other.send("GET", "/v1/accounts/a1/entries", token: fresh).json["entries"]?.array
        #expect(shown?.isEmpty == false, "a removal in one session shows in no other")
    }

    @Test func `a list of all accounts has no row of a removed one, in this session alone`() throws {
        func ids(_ till: inout Till, _ token: String) -> Set<String?> {
            Set(till.send("GET", "/v1/entries", token: token).json["entries"]?.array?.map { $0["id"]?.string } ?? [])
        }
        var till = try Till(Self.files)
        let ann = try till.token()
        var other = till
        let move = #"{"from": "a1", "to": "a2", "amount": "100.00"}"#
        #expect(till.send("POST", "/v1/payments", token: ann, key: "k1", body: move).isSuccess)
        #expect(ids(&till, ann).contains("e1"))
        #expect(till.send("DELETE", "/v1/accounts/a1", token: ann).status == 204)
        #expect(ids(&till, ann).isDisjoint(with: ["e1", "e2", "e3", "e4", "e6"]))
        #expect(ids(&other, ann).contains("e1"))
    }

    @Test func `a renamed account keeps its money and its entries, and entries keep their order`() throws {
        var till = try Till(Self.files)
        let ann = try till.token()
        #expect(till.pay("12.30", key: "k1", token: ann).isSuccess)
        let renamed = till.send("PATCH", "/v1/accounts/a1", token: ann, body: #"{"name": "Daily"}"#)
        #expect(renamed.json == ["id": "a1", "name": "Daily", "balance": "87.70"])

        let before = till.send("GET", "/v1/accounts/a1/entries?limit=5", token: ann).json["entries"]?.array?.map { $0["id"]?.string }
        for id in ["e1", "e3", "e6"] {
            #expect(till.send("PATCH", "/v1/entries/\(id)", token: ann, body: #"{"note": "seen"}"#).isSuccess)
        }
        let after = till.send("GET", "/v1/accounts/a1/entries?limit=5", token: ann).json["entries"]?.array ?? []
        #expect(after.map { $0["id"]?.string } == before)
        #expect(after.filter { $0["note"] == "seen" }.count == 3)
    }

    // MARK: If-Match

    @Test func `If-Match guards against a change by somebody else`() throws {
        var till = try Till(Self.files)
        let ann = try till.token()
        let body = #"{"name": "Greengrocer"}"#
        let tag = try #require(till.send("GET", "/v1/payees/p1", token: ann).header("ETag"))
        func put(_ value: String?) -> BankResponse {
            till.send("PUT", "/v1/payees/p1", token: ann, headers: value.map { [.init("If-Match", $0)] } ?? [], body: body)
        }
        #expect(put(nil).status == 428)
        #expect(put("\"other\"").status == 412)
        #expect(put("W/\(tag)").status == 412, "a weak tag never matches")
        #expect(names(&till, ann).first == "Grocer")
        #expect(put("\"other\", \(tag)").isSuccess)
        #expect(names(&till, ann).first == "Greengrocer")
        #expect(put(tag).status == 412, "the tag is of the old representation")
        #expect(put("*").isSuccess)
        #expect(till.send("PUT", "/v1/payees/p7", token: ann, headers: [.init("If-Match", "*")], body: body).error == "not-found")
    }

    // MARK: time, state files, snapshots

    @Test func `a read of the past sees the row as it was`() throws {
        var till = try Till(Self.files)
        let ann = try till.token()
        till.now = till.now + .seconds(60)
        _ = till.send("PATCH", "/v1/payees/p1", token: ann, body: #"{"name": "Greengrocer"}"#)
        _ = till.send("DELETE", "/v1/payees/p2", token: ann)
        let past = till.state.asOf(till.now + .seconds(-1))
        #expect(past.row("payees", key: "p1")?.fields["name"] == "Grocer")
        #expect(past.row("payees", key: "p2") != nil)
        #expect(till.state.row("payees", key: "p1")?.fields["name"] == "Greengrocer")
    }

    @Test func `a stored session has the changed rows, by its commands and by its checkpoint`() throws {
        var till = try Till(Self.files)
        let ann = try till.token()
        var copy = till
        till.state.isLogged = true
        var commands: [(changes: [UInt8], response: [UInt8]?)] = []
        func send(_ method: String, _ target: String, _ body: String = "") {
            _ = till.send(method, target, token: ann, body: body)
            commands.append(till.state.image(of: till.state.drainChanges()))
        }
        send("PATCH", "/v1/payees/p1", #"{"name": "Greengrocer"}"#)
        send("PATCH", "/v1/payees/p1", #"{"town": "York"}"#)
        send("DELETE", "/v1/payees/p2")
        send("POST", "/v1/payees", #"{"id": "p2", "name": "Cobbler"}"#)
        send("DELETE", "/v1/payees/p2")
        let wanted = names(&till, ann)
        #expect(wanted == ["Greengrocer", "Tailor"])

        for (changes, response) in commands { try copy.state.replay(changes, response: response, at: till.now) }
        #expect(names(&copy, ann) == wanted)
        var restored = try Till(Self.files)
        try restored.state.restore(image: till.state.image)
        #expect(names(&restored, ann) == wanted)
        #expect(restored.send("GET", "/v1/payees/p1", token: ann).json["town"] == "York")
    }

    private static let removable = TestFiles.living.replacing(
        "till/bank.yaml", "  clock: {",
        with: """
              remove: {request: "DELETE /payees/{id}", delete: {payees: {path: id}}, status: 204}
              close: {request: "DELETE /accounts/{id}", delete: {accounts: {path: id}}, status: 204}
              clock: {
            """)

    @Test func `a return from a payee that was removed can be replayed`() throws {
        var till = try Till(Self.removable)
        let ann = try till.token()
        #expect(till.pay("2.00", key: "k1", token: ann).status == 201)
        till.now = till.now + .seconds(60)
        #expect(till.send("DELETE", "/v1/payees/p1", token: ann).status == 204)
        var copy = till
        till.state.isLogged = true

        #expect(try till.happen(BankEvent(.paymentReturns)).from.id == "p1")
        let image = till.state.image(of: till.state.drainChanges())

        #expect(try copy.state.audit(image.changes, response: image.response, at: till.now) == [])
        #expect(copy.state.ledger == till.state.ledger)
    }

    @Test func `no money returns from or to an account that was removed`() throws {
        var till = try Till(Self.removable)
        let ann = try till.token()
        func pay(_ amount: String, _ key: String, from: String, to: String) -> Int {
            till.send("POST", "/v1/payments", token: ann, key: key, body: #"{"from": "\#(from)", "to": "\#(to)", "amount": "\#(amount)"}"#)
                .status
        }
        #expect(pay("2.00", "k1", from: "a1", to: "a2") == 201)
        #expect(pay("7.50", "k2", from: "a2", to: "a1") == 201)
        #expect(till.send("DELETE", "/v1/accounts/a2", token: ann).status == 204)

        for key in ["k1", "k2"] {
            var returned = BankEvent(.paymentReturns)
            returned.payment = key
            #expect {
                try till.state.happen(returned, at: till.now)
            } throws: { "\($0)" == "found the account a2, expected a1 or b1" }
        }
        #expect(till.state.ledger.movements.count == 2)
    }

    @Test func `a command that is undone leaves the rows as they were`() throws {
        var till = try Till(Self.files)
        let ann = try till.token()
        _ = till.send("POST", "/v1/payees", token: ann, body: #"{"id": "p8", "name": "Cobbler"}"#)
        till.state.isLogged = true
        let image = till.state.image
        for (method, target) in [
            ("PATCH", "/v1/payees/p1"), ("PATCH", "/v1/payees/p8"), ("DELETE", "/v1/payees/p3"), ("DELETE", "/v1/payees/p8"),
        ] {
            #expect(till.send(method, target, token: ann, body: #"{"name": "x"}"#).isSuccess)
            till.state.undo(till.state.drainChanges())
            #expect(names(&till, ann) == ["Grocer", "Baker", "Tailor", "Cobbler"])
        }
        #expect(String(decoding: till.state.image, as: UTF8.self) == String(decoding: image, as: UTF8.self))
    }

    @Test func `an end of a row that does not exist is an error of the file`() throws {
        var till = try Till(Self.files)
        let bytes = Array(#"{"changes":[{"ended":{"table":"payees","row":3,"at":1763553600000000000}}],"random":"7"}"#.utf8)
        #expect(throws: ImageError.self) { try till.state.replay(bytes, response: nil, at: till.now) }
    }

    @Test func `a full session changes no row`() throws {
        var till = try Till(Self.files)
        let ann = try till.token()
        guard case .success(.ready(let ticket)) = till.admit("PATCH", "/v1/payees/p1", token: ann, body: #"{"name": "x"}"#) else {
            Issue.record("the request was not admitted")
            return
        }
        #expect(till.state.rejects(ticket, SessionSize(payments: 0)))
    }

    @Test func `few rows with long texts fill a session too, and undone ones do not count`() throws {
        var till = try Till(Self.files)
        let ann = try till.token()
        let limit = SessionSize(payments: 1000)
        let body = #"{"name": "\#(String(repeating: "n", count: 1 << 20))"}"#
        for _ in 0..<8 {
            #expect(!till.state.isFull(limit))
            #expect(till.send("PATCH", "/v1/payees/p1", token: ann, body: body).isSuccess)
        }
        #expect(till.state.isFull(limit))
        #expect(limit.rejection.hasPrefix("the session is full: --session-limit 1000 bounds its payments, keys, rows, texts"))
        #expect(!till.state.isFull(.usual))

        let bytes = till.state.rows.textBytes
        till.state.isLogged = true
        _ = till.send("PATCH", "/v1/payees/p1", token: ann, body: body)
        #expect(till.state.rows.textBytes > bytes)
        till.state.undo(till.state.drainChanges())
        #expect(till.state.rows.textBytes == bytes)
    }
}
