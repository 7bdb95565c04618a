import BankCore
import BankModel
import Foundation
import StubServer
import TestBanks
import TestServer
import Testing

/// The admin call that makes events happen.
@Suite struct EventCallTests {
    @Test func `an event moves money, and its response is the movement`() async throws {
        try await withAdmin(files: TestFiles.living) { admin in
            let made = try await admin.call(
                "POST /sessions/till/events", #"{"event": "payment-in", "account": "a1", "amount": "1200.00", "name": "Acme"}"#)
            #expect(made.status == 201)
            #expect(made.json["from"] == "outside/Acme")
            #expect(made.json["to"] == "accounts/a1")
            #expect(made.json["amount"] == "1200.00")
            #expect(made.json["state"] == "settled")
            let ledger = try await admin.call("GET /sessions/till/ledger")
            #expect(ledger.json["balanced"] == true)
            #expect(ledger.json["movements"]?.array?.first?["event"] == "payment-in")
            #expect(try await admin.call("GET /sessions/till/journal").json["entries"] == [], "no client has sent a request")
        }
    }

    @Test func `an account whose changes add up to 0 is no changed account`() async throws {
        try await withAdmin(files: TestFiles.living) { admin in
            for event in ["payment-in", "direct-debit"] {
                let body = #"{"event": "\#(event)", "account": "a1", "amount": "2.00", "name": "Acme"}"#
                #expect(try await admin.call("POST /sessions/till/events", body).status == 201)
            }
            let ledger = try await admin.call("GET /sessions/till/ledger")
            #expect(ledger.json["accounts"] == [])
            #expect(ledger.json["postings"]?.array?.count == 4)
            #expect(ledger.json["balanced"] == true)
        }
    }

    @Test(
        arguments: [
            (#"{"event": "payment-in", "account": "zz", "amount": "1"}"#, 404, "found the account zz"),
            (#"{"event": "payment-in", "amount": "1"}"#, 400, "`account` is missing"),
            (#"{"event": "payment-in", "account": "a1", "amount": "1,20"}"#, 400, "found the amount 1,20"),
            (#"{"event": "payment-in", "account": "a1", "amount": {}}"#, 400, "found a mapping"),
            (#"{"event": "direct-debit", "account": "a1", "amount": "100.01"}"#, 409, "has less than"),
            (#"{"event": "payment-settles"}"#, 404, "found no payment"),
            (#"{"event": "payment-authorised"}"#, 404, "found no payment"),
            (#"{"event": "payment-sinks"}"#, 400, "payment-sinks"),
            (#"{"account": "a1"}"#, 400, "`event` is missing"),
            (#"{"event": "payment-in", "acount": "a1"}"#, 400, "did you mean `account`?"),
        ])
    func `a wrong event is a problem, and nothing has changed`(_ body: String, _ status: Int, _ detail: String) async throws {
        try await withAdmin(files: TestFiles.living) { admin in
            let rejected = try await admin.call("POST /sessions/till/events", body)
            #expect(rejected.status == status, "\(rejected.text)")
            #expect(rejected.text.contains(detail), "\(rejected.text)")
            #expect(try await admin.call("GET /sessions/till/ledger").json["movements"] == [])
        }
    }

    @Test func `a scheduled event happens when the clock has come that far, and after a restart`() async throws {
        let file = NSTemporaryDirectory() + "counterfoil-schedule-\(UUID().uuidString).sqlite"
        defer { for ending in ["", "-journal"] { try? FileManager.default.removeItem(atPath: file + ending) } }
        try await withAdmin(files: TestFiles.living, configure: { $0.keep(in: file) }) { admin in
            let event = #"{"in": "3d", "every": "7d", "event": "payment-in", "account": "a1", "amount": "1.00"}"#
            #expect(try await admin.call("POST /sessions/till/schedule", event).status == 201)
            for every in ["1h", "0ms", "weekly"] {
                let body = #"{"in": "3d", "every": "\#(every)", "event": "payment-returns"}"#
                let wrong = try await admin.call("POST /sessions/till/schedule", body)
                #expect(wrong.status == 400)
                #expect(wrong.json["detail"] == .string("every: found `\(every)`, expected 1d or more, or `month`"))
            }
            #expect(try await admin.call("POST /sessions/till/clock/advance", #"{"by": "4d"}"#).status == 200)
            #expect(try await admin.call("GET /sessions/till/ledger").json["movements"]?.array?.count == 1)
        }
        try await withAdmin(files: TestFiles.living, configure: { $0.keep(in: file) }) { admin in
            let advanced = try await admin.call("POST /sessions/till/clock/advance", #"{"by": "7d"}"#)
            #expect(advanced.status == 200)
            #expect(try await admin.call("GET /sessions/till/ledger").json["movements"]?.array?.count == 2)
            #expect(try await admin.call("GET /sessions/till/schedule").json["events"]?.array?.count == 1)
            #expect(try await admin.call("DELETE /sessions/till/schedule").status == 204)
            #expect(try await admin.call("GET /sessions/till/schedule").json == ["events": [], "missed": []])
        }
    }

    @Test func `an event is in the state file`() async throws {
        let file = NSTemporaryDirectory() + "counterfoil-event-\(UUID().uuidString).sqlite"
        defer { for ending in ["", "-journal"] { try? FileManager.default.removeItem(atPath: file + ending) } }
        for run in 1...2 {
            try await withAdmin(files: TestFiles.living, configure: { $0.keep(in: file) }) { admin in
                let event = #"{"event": "payment-in", "account": "a1", "amount": "1.00"}"#
                let made = try await admin.call("POST /sessions/till/events", event)
                #expect(made.status == 201)
                #expect(try await admin.call("GET /sessions/till/ledger").json["movements"]?.array?.count == run)
            }
        }
    }
}
