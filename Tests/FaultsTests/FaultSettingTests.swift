import BankModel
import TestBanks
import Testing
import TestServer

@testable import Faults

/// The values that faults compute from their settings, without a connection.
@Suite struct FaultSettingTests {
    // MARK: rules that contradict themselves

    @Test(arguments: [
        (#""fault": "goaway", "on": {"protocol": "h1"}"#, "expected h2"),
        (#""fault": "refuse", "times": 1"#, "a closed port cannot count"),
        (#""fault": "blackhole", "on": {"role": "pay"}"#, "expected only `connection`"),
        (#""fault": "blackhole", "on": {"connection": "warm"}"#, "every connection is"),
        (#""fault": {"delay": {"at_point": "tls", "fixed": "1s"}}, "on": {"path": "/v1/*"}"#, "no request is known"),
        (#""fault": {"blackhole": {}, "after": "1s"}"#, "expected no `after`"),
        (#""fault": "close", "nth": 3, "first": 2"#, "expected nth at most 2"),
        (#""fault": "close", "nth": 3, "skip": 3"#, "expected nth above 3"),
        (#""fault": "close", "nth": 3, "every": 2"#, "expected nth to be a multiple of 2"),
        (#""fault": "close", "first": 2, "skip": 2"#, "expected first above 2"),
        (#""fault": "close", "first": 2, "every": 3"#, "expected first at least 3"),
        (#""fault": {"truncat": {"at": 3}}"#, "did you mean `truncate`?"), (#""fault": {"truncate": {"att": 3}}"#, "did you mean `at`?"),
        (#""fault": {"lose-response": {"by": "close"}}"#, "did you mean `lose-reply`?"),
        (#""fault": {"status": 503}"#, "found `503`, expected settings, such as {status: {"),
        (#""fault": {"slow": {}}"#, "expected `bytes_per_second`, or `chunks` and `over`"),
        (#""fault": {"delay": {"fixed": "1s", "until": "released"}}"#, "found `fixed` and `until`"),
        (#""fault": {"certificate": {"is": "expired", "for": "2s"}}"#, "expected `for` with `expiring` only"),
        (#""fault": {"certificate": {"is": "expiring", "for": "10ms"}}"#, "expected 1s to 1d"),
        (#""fault": {"certificate": {"is": "expirde"}}"#, "did you mean `expired`?"),
        (#""fault": {"old-tls": {"version": "ssl-3.0"}}"#, "tls-1.0 or tls-1.1"),
        (#""fault": {"corrupt": {"utf8": true, "bom": true}}"#, "found `utf8` and `bom`"),
        (#""fault": {"garbage": {"bytes": "x", "random": 3}}"#, "expected one of them"),
        (#""fault": {"set-cookie": {"name": "a;b"}}"#, "found the cookie's name `a;b`, expected a token"),
        (#""fault": {"set-cookie": {"value": "a\r\nX-Y: z"}}"#, "a value without control characters"),
        (#""fault": {"set-cookie": {"attributes": "Path=/\nX-Y: z"}}"#, "a value without control characters"),
        (#""fault": {"edit": {}}"#, "expected `headers`, `without` or `replace`"),
        (#""fault": {"edit": {"headers": {"content-length": "3"}}}"#, "expected one other than Connection, Content-Length"),
        (#""fault": {"edit": {"without": ["Date"]}}"#, "expected one other than Connection, Content-Length"),
        (#""fault": {"edit": {"headers": {"X-A": "a\r\nX-B: b"}}}"#, "a value without control characters"),
        (#""fault": {"edit": {"headers": {"X-A": {"b": "c"}}}}"#, "expected a text"),
        (#""fault": {"status": {"status": 503, "headers": {"X-A": ["b"]}}}"#, "found a list, expected a text"),
        (#""fault": {"trailers": {"lines": {"X-A": ["b"]}}}"#, "found a list, expected a text"),
        (#""fault": "close", "on": {"header": {"X-A": ["b"]}}"#, "found a list, expected a text"),
        (#""fault": "close", "on": {"header": {"X-A": null}}"#, "expected a text"),
        (#""fault": "close", "on": {"header": {"X-A": "b", "X-B": "c"}}"#, "found 2 headers, expected one"),
        (#""fault": {"edit": {"replace": {"": "b"}}}"#, "expected a text of the body"),
        (#""fault": {"edit": {"replace": {"a": {"b": "c"}}}}"#, "expected the text that is sent in its place"),
        (#""fault": {"surplus": {"bytes": "x", "status": 408}}"#, "expected one of them"),
        (#""fault": {"surplus": {"body": "x"}}"#, "found `body` without `status`"),
        (#""fault": {"surplus": {"bytes": ""}}"#, "expected one byte or more"),
        (#""fault": "surplus", "on": {"protocol": "h2"}"#, "expected h1"),
        (#""fault": {"early-reply": {"then": "dran"}}"#, "did you mean `drain`?"),
        (#""fault": {"early-hints": {"status": 101}}"#, "expected 100, 102 or 103"),
    ])
    func `a rule that contradicts itself is rejected`(members: String, message: String) throws {
        let error = #expect(throws: ComplaintsError.self) { try rule("{\(members)}") }

        #expect(error?.description.contains(message) == true, "\(error?.description ?? "")")
    }

    // MARK: handshakes

    /// The effect of a rule on a connection.
    private func effect(_ fault: String, _ context: FaultContext = FaultContext()) throws -> ConnectionEffect {
        try #require(try rule(#"{"fault": \#(fault)}"#).setting.fault as? any ConnectionFault).apply(context)
    }

    @Test func `a handshake is unusual as its rule defines`() throws {
        let context = FaultContext(ruleID: "rule-9", elapsed: .seconds(4))

        #expect(try effect(#"{"certificate": {"is": "renewed"}}"#) == .handshake(.certificate(.renewed)))
        #expect(try effect(#""old-tls""#) == .handshake(.oldTLS(.tls10)))
        #expect(try effect(#"{"old-tls": {"version": "tls-1.1"}}"#) == .handshake(.oldTLS(.tls11)))
        #expect(
            try effect(#"{"certificate": {"is": "expiring", "for": "5s"}}"#, context)
                == .handshake(.shortLived(ShortLived(rule: "rule-9", lasts: .seconds(5), age: .seconds(4)))))
        #expect(
            try effect(#"{"certificate": {"is": "expiring"}}"#)
                == .handshake(.shortLived(ShortLived(rule: "rule-1", lasts: .seconds(3), age: .zero))))
    }

    @Test func `only two certificates need an intermediate authority`() throws {
        let needy = try CertificateKind.allCases.filter {
            try rule(#"{"fault": {"certificate": {"is": "\#($0.rawValue)"}}}"#).setting.fault.need == .intermediate
        }

        #expect(needy == [.newIntermediate, .incompleteChain])
    }

    // MARK: edited responses

    /// The response after an edit.
    private func edited(_ settings: String, _ body: String) throws -> OutgoingResponse {
        let fault = try #require(try rule(#"{"fault": {"edit": \#(settings)}}"#).setting.fault as? EditFault)
        var outgoing = OutgoingResponse(status: 200, headers: [JournalEntry.Header("etag", "\"1\"")], body: Array(body.utf8))
        try fault.apply(&outgoing, FaultContext())
        return outgoing
    }

    @Test func `an edit changes headers and texts, and nothing else`() throws {
        let outgoing = try edited(
            #"{"headers": {"X-A": "b"}, "without": ["ETag"], "replace": {"GBP": "XTS", "1": ""}}"#, #"{"a":"GBP","b":"GBP 10","c":"ü"}"#)

        #expect(String(decoding: outgoing.body, as: UTF8.self) == #"{"a":"XTS","b":"XTS 0","c":"ü"}"#)
        #expect(outgoing.headers == [JournalEntry.Header("X-A", "b")])
        #expect(outgoing.status == 200 && outgoing.isWhole)
        let headersAlone = try edited(#"{"headers": {"X-A": "b"}, "replace": {"GBP": "XTS"}}"#, "{}")
        #expect(headersAlone.headers.map(\.name) == ["etag", "X-A"])
        #expect(throws: NotApplied.self) { try edited(#"{"replace": {"GBP": "XTS"}}"#, "{}") }
    }

    @Test(arguments: [
        (#"{"GBP": "EUR", "EUR": "GBP"}"#, "GBP EUR", "EUR GBP"), (#"{"aa": "b", "a": "c"}"#, "aaa", "bc"),
        (#"{"\n": ";"}"#, "a\r\nb", "a\r;b"), (#"{"e": "a"}"#, "e\u{301}", "a\u{301}"),
    ])
    func `an edit replaces each text of the body once, whatever is put in`(_ texts: String, _ body: String, _ expected: String) throws {
        let outgoing = try edited(#"{"replace": \#(texts)}"#, body)

        #expect(outgoing.body == Array(expected.utf8))
    }

    @Test func `an edit does not make a body larger than 64 MiB`() throws {
        let text = String(repeating: "x", count: 1 << 20)

        let largest = try edited(#"{"replace": {"a": "\#(text)"}}"#, String(repeating: "a", count: 64))
        #expect(largest.body.count == 64 << 20)
        #expect(throws: NotApplied.self) { try edited(#"{"replace": {"a": "\#(text)"}}"#, String(repeating: "a", count: 65)) }
    }

    @Test(arguments: [#"{"headers": {"Content-Encoding": "br"}}"#, #"{"without": ["content-encoding"]}"#])
    func `a response whose Content-Encoding is edited is not compressed`(_ settings: String) throws {
        let fault = try #require(try rule(#"{"fault": {"edit": \#(settings)}}"#).setting.fault as? EditFault)
        var outgoing = OutgoingResponse(status: 200, headers: [], body: Array("{}".utf8))
        outgoing.coding = .gzip

        try fault.apply(&outgoing, FaultContext())
        outgoing.code()

        #expect(outgoing.headers.map(\.value) == fault.added.map(\.value))
        #expect(outgoing.body == Array("{}".utf8))
    }

    // MARK: delays

    /// The milliseconds that a delay with these settings waits, for `count` decisions.
    private func waits(_ settings: String, count: Int = 4000, elapsed: Duration = .zero) throws -> [Double] {
        let fault = try #require(try rule(#"{"fault": {"delay": {\#(settings)}}}"#).setting.fault as? DelayFault)
        return (1...count).map { number in
            let context = FaultContext(random: SeededGenerator(seed: SeededGenerator.hash(7, UInt64(number))), elapsed: elapsed)
            guard case .wait(.duration(let duration)) = fault.apply(context) else { return -1 }
            return Double(duration.nanoseconds) / 1e6
        }
    }

    @Test func `a uniform delay fills its range`() throws {
        let waits = try waits(#""uniform": {"from": "10ms", "to": "50ms"}"#)

        #expect(waits.allSatisfy { (10...50).contains($0) })
        #expect(waits.contains { $0 < 12 })
        #expect(waits.contains { $0 > 48 })
    }

    @Test func `a normal delay has its mean and deviation`() throws {
        let waits = try waits(#""normal": {"mean": "100ms", "sigma": "10ms", "max": "1s"}"#)
        let mean = waits.reduce(0, +) / Double(waits.count)
        let deviation = (waits.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(waits.count)).squareRoot()

        #expect((99...101).contains(mean))
        #expect((9.5...10.5).contains(deviation))
    }

    @Test func `a normal delay is cut at zero and at its most`() throws {
        let waits = try waits(#""normal": {"mean": "5ms", "sigma": "10ms", "max": "12ms"}"#)

        #expect(waits.min() == 0)
        #expect(waits.max() == 12)
        #expect(waits.contains { $0 > 0 && $0 < 12 })
    }

    @Test(arguments: [(10, 3, 4), (9, 3, 3), (2, 5, 1), (10, 1, 10)])
    func `a body in pieces has no more of them than set`(bytes: Int, pieces: Int, size: Int) throws {
        let set = try rule(#"{"fault": {"slow": {"chunks": \#(pieces), "over": "1s"}}}"#)
        let fault = try #require(set.setting.fault as? SlowFault)
        var outgoing = OutgoingResponse(status: 200, headers: [], body: Array(repeating: 0, count: bytes))

        try fault.apply(&outgoing, FaultContext(random: SeededGenerator(seed: 1)))

        guard case .trickle(let range, let piece, _, _)? = outgoing.steps.last else {
            Issue.record("\(outgoing.steps)")
            return
        }
        #expect(range == 0..<bytes)
        #expect(piece == size)
    }

    /// The schema's bound is the reader's: the share 1 is not a position in the body, and `1` without a point is a number of bytes.
    @Test func `a share of the body is below the whole`() throws {
        let error = #expect(throws: ComplaintsError.self) { try rule(#"{"fault": {"truncate": {"at": 1.0}}}"#) }
        let last = try rule(#"{"fault": {"truncate": {"at": 0.999}}}"#)
        let schema = Schema.object(ObjectSchema("a cut", fields: TruncateFault.fields)).document(title: "", about: "")

        #expect(error?.description.contains("a fraction below 1") == true, "\(error?.description ?? "")")
        #expect(last.setting.fault is TruncateFault)
        #expect(
            schema.at("definitions.cut.properties.at")?["anyOf"] == [
                ["type": "integer", "minimum": 0], ["type": "number", "minimum": 0, "exclusiveMaximum": 1],
            ])
    }

    @Test func `a position beyond the body is unchanged`() throws {
        let fault = try #require(try rule(#"{"fault": {"truncate": {"at": 4}}}"#).setting.fault as? TruncateFault)
        func apply(_ bytes: Int) throws {
            var outgoing = OutgoingResponse(status: 200, headers: [], body: Array(repeating: 0, count: bytes))
            try fault.apply(&outgoing, FaultContext(random: SeededGenerator(seed: 1)))
        }

        #expect(throws: NotApplied.self) { try apply(4) }
        #expect(throws: Never.self) { try apply(5) }
    }

    @Test(
        arguments: [
            ("counterfoil-redirected=1", nil, true), ("a=b&counterfoil-redirected=1", "a=b", true), ("a=b", "a=b", false),
            ("a=counterfoil-redirected=1", "a=counterfoil-redirected=1", false),
            ("counterfoil-redirected=1&a", "counterfoil-redirected=1&a", false),
            ("", "", false),
        ] as [(String, String?, Bool)])
    func `the mark of a redirect is taken from the end of a query`(query: String, rest: String?, isMarked: Bool) {
        let found = RedirectTarget.unmarked(query)

        #expect(found.query == rest)
        #expect(found.isMarked == isMarked)
    }

    // MARK: times and scopes

    @Test func `a window is open from its beginning up to its end`() {
        let start = Instant(seconds: 1000)
        func open(_ seconds: Double, _ window: RuleWindow) -> Bool {
            let passed = Duration.seconds(seconds)
            return window.contains(RuleTime(mono: passed.nanoseconds, session: start + passed))
        }

        for clock in Plan.Clock.allCases {
            let span = Plan.Span(from: .zero, until: .seconds(60))
            let window = RuleWindow(clock, span, from: RuleTime(mono: 0, session: start))
            #expect([-0.5, 0, 59.5, 60, 61].map { open($0, window) } == [false, true, true, false, false])
            let last = Duration.nanoseconds(59_999_999_999)
            #expect(!window.isOver(at: RuleTime(mono: last.nanoseconds, session: start + last)))
            #expect(window.isOver(at: RuleTime(mono: 60_000_000_000, session: start + .seconds(60))))
        }
    }

    @Test func `a header's name is found in any case and its text as a glob`() throws {
        let selector = try rule(#"{"fault": "close", "on": {"header": {"x-Trace": "ab*"}}}"#).on
        func matches(_ name: String, _ value: String) -> Bool {
            selector.matches(ExchangeFacts(headers: [JournalEntry.Header("Host", "ab"), JournalEntry.Header(name, value)]))
        }

        #expect(matches("X-TRACE", "abc"))
        #expect(matches("x-trace", "ab"))
        #expect(!matches("X-Trace", "Abc"))
        #expect(!matches("X-Traces", "abc"))
    }

    @Test(arguments: [("gzip, deflate", true), ("br, gzip;q=0.1", true), ("identity, gzip;q=0, *;q=0", false), ("gzip;q=0", false)])
    func `of the codings only those are selected that the request accepts`(_ value: String, _ isSelected: Bool) throws {
        let selector = try rule(#"{"fault": "close", "on": {"header": {"Accept-Encoding": "*gzip*"}}}"#).on

        #expect(selector.matches(ExchangeFacts(headers: [JournalEntry.Header("accept-encoding", value)])) == isSelected)
    }

    @Test func `a lognormal delay has its median and is cut`() throws {
        let waits = try waits(#""lognormal": {"median": "90ms", "sigma": 0.5, "max": "300ms"}"#).sorted()

        #expect((86...94).contains(waits[waits.count / 2]))
        #expect(waits.last == 300)
        #expect(waits.allSatisfy { $0 >= 0 })
    }

    @Test(arguments: [(0, 100.0), (30, 150), (60, 200), (600, 200)])
    func `a ramp grows with its time`(seconds: Int, milliseconds: Double) throws {
        #expect(
            try waits(#""ramp": {"from": "100ms", "to": "200ms", "over": "1m"}"#, count: 1, elapsed: .seconds(seconds)) == [milliseconds])
    }

    @Test func `a probability grows with its time`() throws {
        let count = try rule(#"{"fault": "close", "probability": {"from": 0, "to": 0.5, "over": "10m"}}"#).count
        func share(after elapsed: Duration) -> Double {
            Double((1...4000).count { count.applies(n: $0, applied: 0, seed: 7, index: 1, elapsed: elapsed) }) / 4000
        }

        #expect(share(after: .zero) == 0)
        #expect((0.22...0.28).contains(share(after: .seconds(300))))
        #expect((0.47...0.53).contains(share(after: .seconds(6000))))
    }

    // MARK: damage

    @Test(arguments: JSONDamage.allCases) func `damaged JSON is not JSON`(damage: JSONDamage) throws {
        let body = Array(#"{"id":"a1","balance":{"amount":"12.30","digits":2},"tags":["x",null]}"#.utf8)

        let damaged = try damage.apply(to: body)

        #expect(throws: (any Error).self) { try JSON(parsing: damaged) }
    }

    @Test func `duplicate keys stand twice with different values of one kind`() throws {
        let damaged = try Damage.duplicateKeys.apply(to: Array(#"{"a":1,"b":[{"c":"x"},{"d":true}]}"#.utf8))

        #expect(String(decoding: damaged, as: UTF8.self) == #"{"a":1,"b":[{"c":"x","c":"x (2)"},{"d":true,"d":false}],"a":2}"#)
    }

    @Test func `wrong types and nulls keep the shape`() throws {
        let body = Array(#"{"a":1,"b":["x",true,{"c":null}]}"#.utf8)

        #expect(try JSON(parsing: Damage.wrongType.apply(to: body)) == ["a": "1", "b": [1, "true", ["c": "true"]]])
        #expect(try JSON(parsing: Damage.null.apply(to: body)) == ["a": .null, "b": [.null, .null, ["c": .null]]])
    }

    @Test(arguments: FaultKinds.all.map { #"{"\#($0.kind)": \#($0.example)}"# } + FaultTable.rows.map(\.fault))
    func `a rule is read back as it is written`(fault: String) throws {
        let first = try rule(#"{"fault": \#(fault)}"#)

        let again = try rule(first.json.text)

        #expect(again.json == first.json)
        // What a kind does not write is not read back: the faults themselves are compared.
        #expect(String(reflecting: again.setting.fault) == String(reflecting: first.setting.fault))
    }
}
