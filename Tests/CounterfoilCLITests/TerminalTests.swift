import BankModel
import Testing

@testable import CounterfoilCLI

/// Texts on a terminal: widths, colours, messages.
@Suite struct TerminalTests {
    // MARK: colours

    @Test(
        arguments: [
            ([:], true, true), ([:], false, false), (["NO_COLOR": "1"], true, false), (["NO_COLOR": "0"], true, false),
            (["CLICOLOR_FORCE": "1"], false, true), (["CLICOLOR_FORCE": "0"], false, false),
            (["CLICOLOR_FORCE": "1", "NO_COLOR": "1"], true, false), (["CLICOLOR": "0"], true, false),
            (["CLICOLOR": "0", "CLICOLOR_FORCE": "1"], false, true), (["CLICOLOR": "1"], false, false), (["TERM": "dumb"], true, false),
        ])
    func `the environment decides about colours`(environment: [String: String], isTerminal: Bool, expected: Bool) {
        #expect(Colour.isWanted(isTerminal: isTerminal) { environment[$0] } == expected)
    }

    @Test func `error and hint have colours of their own`() {
        #expect(
            Paint.messages.applied(to: "error: no\nhint: yes\nan error: none\n")
                == "\u{1B}[1;31merror:\u{1B}[0m no\n\u{1B}[36mhint:\u{1B}[0m yes\nan error: none\n")
        #expect(Paint.none.applied(to: "error: no") == "error: no")
    }

    @Test(
        arguments: [
            ("2230 passed of 2230 (model 1, seed 7, 58.4 s)", "32"), ("0 passed, 1 failed of 1 (a client, seed 7, 0.5 s)", "1;31"),
            ("5 passed of 5, invariants: 2 failed (a client, seed 7, 0.5 s)", "1;31"),
            ("3 passed, 1 inconclusive of 4 (failed client, seed 7, 0.5 s)", "33"),
            ("5 passed, 1 failed, 24 not exercised of 31 rules (session s, 9 exchanges)", "1;31"),
        ])
    func `the summary of a report is coloured by its verdicts`(summary: String, code: String) {
        #expect(
            Paint.report.applied(to: "FAIL  x\n  passed of\n\(summary)\n")
                == "\u{1B}[1;31mFAIL\u{1B}[0m  x\n  passed of\n\u{1B}[\(code)m\(summary)\u{1B}[0m\n")
    }

    // MARK: messages

    @Test(
        arguments: [
            ("no session", nil, "error: no session"), ("no session", "make one", "error: no session\nhint: make one"),
            ("found x; did you mean `y`?", nil, "error: found x\nhint: did you mean `y`?"),
            ("Unknown option '--x'. Did you mean '--y'?", nil, "error: Unknown option '--x'\nhint: did you mean '--y'?"),
            ("found x; did you mean `y`?", "see z", "error: found x; did you mean `y`?\nhint: see z"),
            ("one\nhint: two", nil, "error: one\n    hint: two"),
        ] as [(String, String?, String)])
    func `a message has its hint in a line of its own`(text: String, hint: String?, expected: String) {
        #expect(Message(text, hint: hint).text == expected)
    }

    // MARK: widths

    @Test(arguments: [("abc", 3, "abc"), ("abcd", 3, "ab…"), ("京都", 4, "京都"), ("京都府", 4, "京…"), ("a", 0, "")])
    func `a text is clipped by columns`(text: String, columns: Int, expected: String) {
        #expect(text.clipped(toColumns: columns) == expected)
    }

    @Test(arguments: [20, 40, 80, 100, 160])
    func `the progress line fits`(columns: Int) {
        let room = StatusLine.room(columns: columns)
        let line = ProgressLine.text(
            1500, of: 2230, ", 12 failed  pay.concurrent-retries-under-one-key-are-one-payment@counterfoil [h2]",
            bar: ProgressLine.barWidth(room: room))

        let shown = line.clipped(toColumns: room)

        #expect(shown.columns < columns)
        #expect(shown.contains("█"))
        if columns >= 40 { #expect(shown.contains("1500 of 2230")) }
        if columns >= 160 { #expect(shown == line) }
    }

    @Test func `without a terminal progress is printed once a minute`() {
        var minutes = ProgressLine.Minutes(since: 5_000_000_000)
        let seconds: [Int64] = [10, 64, 65, 66, 124, 126, 400]
        let due = seconds.filter { minutes.isDue(at: $0 * 1_000_000_000) }

        #expect(due == [65, 126, 400])
        #expect(ProgressLine.text(120, of: 333, ", 2 failed  pay.a@toy", bar: 0) == "120 of 333, 2 failed  pay.a@toy")
    }

    @Test func `a line that the terminal has wrapped is erased whole`() {
        #expect(StatusLine.erasure(of: 0, columns: 80) == "\r\u{1B}[K")
        #expect(StatusLine.erasure(of: 80, columns: 80) == "\r\u{1B}[K")
        #expect(StatusLine.erasure(of: 159, columns: 80) == "\u{1B}[1A\r\u{1B}[J")
        #expect(StatusLine.erasure(of: 159, columns: 40) == "\u{1B}[3A\r\u{1B}[J")
    }

    @Test func `a table is no wider than its terminal`() {
        var table = TextTable("RULE", "FAULT", "ON", "COUNT", right: [3], shortening: [1, 2])
        table.add("rule-1", String(repeating: "x", count: 100), "role pay, operation payments", "1")

        #expect(table.text.contains(String(repeating: "x", count: 100)))
        for columns in [60, 80, 100] {
            let lines = table.text(columns: columns).split(separator: "\n")
            #expect(lines.allSatisfy { $0.count <= columns })
            #expect(lines.last?.hasSuffix("    1") == true)
            #expect(columns < 80 || lines.last?.contains("role pay, operation payments") == true)
        }
    }

    @Test func `a table keeps the columns that matter most as long as it can`() {
        var table = TextTable("REQUEST", "STATUS", "END", shortening: [2], last: [0])
        table.add("GET /v1/accounts/ava-gbp", "200", String(repeating: "x", count: 30))

        #expect(table.text(columns: 50).contains("GET /v1/accounts/ava-gbp  200     xxxxxxx"))
        #expect(table.text(columns: 30).contains("GET /v1/acc…  200     xxxxxxx…"))
        for columns in [30, 50] { #expect(table.text(columns: columns).split(separator: "\n").allSatisfy { $0.count <= columns }) }
    }

    @Test func `a usage is wrapped between arguments`() {
        let usage =
            "USAGE: counterfoil x <bank> [--name <name>] [--seed <seed>]\n\nOPTIONS:\n  --name <name>           a text that is already wrapped"

        #expect(
            HelpText.wrapped(usage, columns: 44)
                == "USAGE: counterfoil x <bank> [--name <name>]\n        [--seed <seed>]\n\nOPTIONS:\n  --name <name>           a text that is already wrapped"
        )
        #expect(HelpText.wrapped(usage, columns: 100) == usage)
    }

    @Test func `a value that begins with a minus sign is named`() {
        let message = "Missing value for '--port <port>'"

        #expect(
            ArgumentFlaws.negativeValue(message, ["serve", "--port", "-1"])?.error
                == "found --port -1, expected a value that does not begin with -, or `--port=-1`")
        #expect(ArgumentFlaws.negativeValue(message, ["serve", "--port", "--tls"]) == nil)
        #expect(ArgumentFlaws.negativeValue(message, ["serve", "--port"]) == nil)
        #expect(ArgumentFlaws.negativeValue("Unknown option '-1'", ["serve", "-1"]) == nil)
    }

    @Test func `an argument that is not UTF-8 is rejected`() {
        #expect(ArgumentFlaws.notUTF8(["import", "har", "caf\u{FFFD}.har"])?.error.contains("`caf\u{FFFD}.har`") == true)
        #expect(ArgumentFlaws.notUTF8(["import", "har", "café.har"]) == nil)
    }
}
