import ArgumentParser
import BankModel
import Foundation
import Testing

@testable import CounterfoilCLI

/// The commands that steer a running server: which session is meant, and what is shown of rules.
@Suite struct SteeringTests {
    private func session(_ id: String, of bank: String) -> JSON { ["id": .string(id), "bank": .string(bank)] }

    @Test func `the session of the only bank needs no name`() throws {
        let sessions = [session("roundup", of: "roundup"), session("mine", of: "roundup")]

        #expect(try ServedSession.only(sessions, naming: "--session") == "roundup")
    }

    @Test func `none of several banks is guessed`() throws {
        let sessions = [session("bins", of: "bins"), session("mine", of: "bins"), session("roundup", of: "roundup")]

        let failure = #expect(throws: AdminFailure.self) { try ServedSession.only(sessions, naming: "--session") }

        #expect(failure?.description == "found no session, expected bins, mine or roundup: 2 banks are served")
        #expect(failure?.hint == "name one, such as `--session bins`")
    }

    @Test func `an amount below zero reaches the server, which says what is wrong with it`() throws {
        #expect(try EventCommand.parse(["payment-in", "--amount", "-5.00"]).amount == "-5.00")
    }

    @Test(
        arguments: [
            (["advance", "-5m"], "found -5m, expected a duration from 0ms to 36525d (100 years), such as 250ms, 30s, 5m, 2h or 1d: "),
            (["advance", "--session", "mine", "-1d"], "found -1d, expected a duration from 0ms to"),
            (["set", "-1h"], "found -1h, expected an instant such as 2026-12-31T23:59:50Z, or --skew: "),
            (["advance", "5m", "--json"], nil),
            (["set", "--skew", "-5m"], nil), (["show", "-5m"], nil),
        ] as [([String], String?)])
    func `a command that sets a clock back says that clocks go forward`(arguments: [String], expected: String?) {
        let message = ClockCommand.backwards(["clock"] + arguments)

        #expect(message == nil && expected == nil || message?.hasPrefix(expected ?? "?") == true, "\(message ?? "nothing")")
        #expect(message?.hasSuffix("a clock only goes forward, and only a reset of the session sets it back") ?? true)
    }

    @Test func `a duration below zero behind the terminator gets the same message`() {
        #expect(rejection(of: ClockCommand.Advance.self, ["--", "-5m"]).contains("a clock only goes forward"))
    }

    @Test func `an option's duration below zero reaches its check`() {
        #expect(rejection(of: TokensCommand.Issue.self, ["--lifetime", "-5m"]).contains("found --lifetime -5m, expected a duration"))
    }

    @Test(
        arguments: [
            ("/sessions/a/faults", nil), ("", nil), ("/sessions/a/journal?last=/", nil), ("/sessions/a/faults/", "an empty name"),
            ("/sessions//reset", "an empty name"), ("/sessions/", "an empty name"), ("/sessions/a/faults/..", "the name `..`"),
            ("/sessions/./ledger", "the name `.`"),
        ] as [(String, String?)])
    func `a name that would make another call of a path is found before it is sent`(_ path: String, _ flaw: String?) {
        #expect(AdminOptions.flaw(in: path) == flaw)
    }

    @Test func `a rule's empty id is not all rules`() {
        #expect(throws: (any Error).self) { try FaultCommand.Remove.parse([""]) }
    }

    @Test func `the list of sessions shows labels if one has any`() throws {
        let labelled = try JSON(parsing: #"{"id": "mine", "bank": "bins", "labels": {"run": "7", "team": "ios"}}"#)

        let with = SessionCommand.table([session("bins", of: "bins"), labelled]).text(columns: 80)
        let without = SessionCommand.table([session("bins", of: "bins")]).text(columns: 80)

        #expect(with == "SESSION  BANK  ADDRESS  NOW  LABELS\nbins     bins\nmine     bins                run=7 team=ios\n")
        #expect(without == "SESSION  BANK  ADDRESS  NOW\nbins     bins\n")
    }

    @Test func `of a webhook only its address and events are cut at 80 columns, and of a delivery its type and attempts`() {
        let (id, count) = ("webhook-" + String(repeating: "1", count: 22), Int64.max)
        let webhook: JSON = [
            "id": .string(id), "waiting": .int(count), "delivered": .int(count), "failed": .int(count),
            "url": "http://127.0.0.1:9000/hook", "events": ["payment.settled", "payment.rejected"],
        ]
        let (event, state) = ("evt_" + String(repeating: "1", count: 40), String(repeating: "s", count: 40))
        let failed: JSON = ["status": 500]
        let delivery: JSON = [
            "event": .string(event), "type": "payment.settled", "state": .string(state), "attempts": .array([failed, failed, failed]),
        ]
        func row(_ table: TextTable) -> String? { table.text(columns: 80).split(separator: "\n").last.map(String.init) }

        #expect(row(WebhooksCommand.List.table([webhook])) == "\(id)  \(count)  \(count)  \(count)  http://…  payment…")
        #expect(row(WebhooksCommand.Show.table([delivery])) == "\(event)  payment…  \(state)  500, 50…")
    }

    @Test func `the ledger's table has balances, and the postings of accounts and payees`() throws {
        let balances = try JSON(
            parsing: #"""
                {"balances": [{"account": "accounts/a1", "balance": "95.00", "currency": "GBP"},
                              {"account": "accounts/a2", "balance": "7", "currency": "JPY"}], "more": false}
                """#)
        let ledger = try JSON(
            parsing: #"""
                {"accounts": [{"account": "accounts/a1", "change_minor_units": -500, "balance": "95.00", "currency": "GBP"},
                              {"account": "payees/p1", "change_minor_units": 500}], "balanced": true}
                """#)

        #expect(
            LedgerCommand.table(balances, ledger).text(columns: 80) == """
                ACCOUNT        BALANCE  POSTINGS
                accounts/a1  95.00 GBP      -500
                accounts/a2      7 JPY         0
                payees/p1                    500

                """)
    }

    @Test(
        arguments: [
            (#"{"status": {"status": 503, "headers": {"A": "b"}, "body": "<html>"}}"#, "status 503"),
            (#"{"status": {"status": 503, "retry_after": 120}}"#, "status 503 retry_after 120"),
            (#"{"dialect": {"name": "maintenance"}}"#, "dialect maintenance"), (#"{"close": {}}"#, "close"),
            (#"{"lose-reply": {"by": "close"}, "after": "1s"}"#, "lose-reply by close after 1s"), (#""hang""#, "hang"),
            (
                #"{"delay": {"at_point": "head", "lognormal": {"median": "100ms", "p99": "3s"}}}"#,
                "delay at_point head lognormal median 100ms p99 3s"
            ),
        ])
    func `a fault is shown in words`(json: String, expected: String) throws {
        #expect(try JSON(parsing: json).faultWords == expected)
    }

    @Test(
        arguments: [
            (#"{"method": "POST", "key": "tea-1", "committed": true, "replayed": false}"#, ["committed", "tea-1"]),
            (#"{"method": "POST", "key": "tea-1", "committed": true, "replayed": true}"#, ["replayed", "tea-1"]),
            (#"{"method": "POST", "key": "tea\n1", "committed": false, "replayed": false}"#, ["", "tea 1"]),
            (#"{"method": "GET", "key": null, "committed": true, "replayed": false}"#, ["", ""]),
        ])
    func `a line of the journal ends with the effect and the key if they are asked for`(entry: String, expected: [String]) throws {
        let entry = try JSON(parsing: entry)

        let cells = JournalCommand.row(entry, keys: true)
        let usual = JournalCommand.row(entry, keys: false)

        #expect(Array(cells.suffix(2)) == expected)
        #expect(Array(cells.dropLast(2)) == Array(usual.dropLast()))
    }

    @Test func `a rule is text or a file`() throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "rule-\(UUID().uuidString).yaml").path
        try "fault: hang\ntimes: 1\n".write(toFile: file, atomically: true, encoding: .utf8)
        defer { try? FileManager.default.removeItem(atPath: file) }

        #expect(try RuleText("{fault: hang}").yaml == "{fault: hang}")
        #expect(try RuleText("fault: hang").file == "the rule")
        #expect(try RuleText(file).yaml == "fault: hang\ntimes: 1\n")
        #expect(try RuleText(file).file == file)
        let missing = #expect(throws: UsageError.self) { try RuleText("nowhere.yaml") }
        #expect(missing?.description.hasPrefix("cannot read nowhere.yaml: found no file, expected a rule") == true)
    }

    @Test(arguments: [
        (["--unmatched", "--since", "1"], "found --since with --unmatched, expected one of them"),
        (["--har", "-", "--since", "1"], "found --since with --har, expected one of them"),
        (["--har", "-", "--unmatched"], "found --unmatched with --har, expected one of them"),
    ])
    func `the journal has no option that it would ignore`(arguments: [String], expected: String) {
        #expect(rejection(of: JournalCommand.self, arguments).contains(expected))
    }

    @Test(arguments: [["--unmatched"], ["--since", "4", "--keys"], ["--har", "-"], []])
    func `the journal is chosen by one option`(arguments: [String]) {
        #expect(throws: Never.self) { try JournalCommand.parse(arguments) }
    }
}
