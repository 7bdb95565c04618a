import BankCore
import BankFiles
import BankModel
import TestBanks
import Testing

/// Operations on one path, distinguished by other conditions on the request.
@Suite struct ConditionTests {
    /// A bank whose every operation is `POST /x/{id}` with one condition and answers with its own name.
    private static func files(_ conditions: [String], method: String = "POST") -> TestFiles {
        let operations = conditions.enumerated().map { index, condition in
            "  op\(index): {request: \"\(method) /x/{id}\", when: {\(condition)}, reply: {met: \(index)}}"
        }
        var files = TestFiles()
        files.files = files.files.filter { $0.key.hasPrefix("dialects/") }
        files.files["till/bank.yaml"] = """
            bank: till
            about: Conditions.
            dialect: terse
            operations:
            \(operations.joined(separator: "\n"))
            """
        return files
    }

    private func met(
        _ conditions: [String], _ target: String = "/x/1", headers: [JournalEntry.Header] = [], body: String = "", method: String = "POST"
    ) throws -> Int64? {
        var caller = try Caller(Self.files(conditions, method: method).library.load("till").bank, login: nil)
        return caller.send(method, target, headers: headers, body: body).json["met"]?.int
    }

    @Test(arguments: [
        ("path: {id: a1}", "/x/a1", "/x/a2"),
        ("path: {id: {like: \"acc-*\"}}", "/x/acc-7", "/x/acd-7"),
        ("query: {a: \"1\"}", "/x/1?b=2&a=1", "/x/1?a=2"),
        ("query: {a: null}", "/x/1?b=2", "/x/1?a="),
        ("query: {a: {like: \"*b*\"}}", "/x/1?a=abc", "/x/1?a=ac"),
        ("query: {a: {like: [\"a*\", \"*c\"]}}", "/x/1?a=abc", "/x/1?a=ab"),
        ("raw_query: \"b=2&a=1\"", "/x/1?b=2&a=1", "/x/1?a=1&b=2"),
        ("raw_query: null", "/x/1", "/x/1?a=1"),
        ("raw_query: null", "/x/1?", "/x/1?a"),
        ("query: {a: \"1\"}", "/x/1?a=2&a=1", "/x/1?a=2&a=3"),
        ("query: {a: null}", "/x/1?b=2&b=3", "/x/1?a=&a=2"),
        ("query_names: [a, b]", "/x/1?b=2&a=1&a=3", "/x/1?a=1&b=2&c=3"),
        ("query_names: [a, b]", "/x/1?a&b", "/x/1?a=1"),
    ])
    func `the request line distinguishes operations`(condition: String, fits: String, fitsNot: String) throws {
        #expect(try met([condition], fits) == 0)
        #expect(try met([condition], fitsNot) == nil)
    }

    @Test(arguments: [
        ("form: {a: b c}", "a=b+c", "a=b"),
        ("form: {a: null}", "b=1", "a=1"),
        ("body: {amount.currency: GBP}", #"{"amount": {"currency": "GBP"}}"#, #"{"amount": {"currency": "EUR"}}"#),
        ("body: {amount: 12.5}", #"{"amount": 12.50}"#, #"{"amount": "12.5"}"#),
        ("body: {amount: \"12.5\"}", #"{"amount": "12.5"}"#, #"{"amount": 12.5}"#),
        ("body: {memo: null}", #"{"memo": null}"#, #"{"memo": ""}"#),
        ("body: {to: {is: {a: 1, b: [2]}}}", #"{"to": {"b": [2], "a": 1.0}}"#, #"{"to": {"b": [2], "a": 1, "c": 3}}"#),
        ("body: {to: [1, 2]}", #"{"to": [1, 2]}"#, #"{"to": [2, 1]}"#),
        ("body: {amount: {like: \"12*\"}}", #"{"amount": 12.5}"#, #"{"amount": 13}"#),
        ("body: {to: {like: \"*\"}}", #"{"to": {"a": 1}}"#, #"{"to": {}}"#),
        ("json: {a: 1, like: x}", #"{"like": "x", "a": 1}"#, #"{"a": 1}"#),
        ("text: {like: \"*<Amt>12</Amt>*\"}", "<Doc><Amt>12</Amt></Doc>", "<Doc/>"),
        ("text: null", "", "x"),
    ])
    func `the body distinguishes operations`(condition: String, fits: String, fitsNot: String) throws {
        #expect(try met([condition], body: fits) == 0)
        #expect(try met([condition], body: fitsNot) == nil)
    }

    @Test func `headers have no case`() throws {
        let fits = try met(["header: {X-Channel: web, Cookie: null}"], headers: [.init("x-channel", "web")])
        let fitsNot = try met(["header: {X-Channel: web, Cookie: null}"], headers: [.init("X-Channel", "web"), .init("cookie", "a=1")])

        #expect(fits == 0)
        #expect(fitsNot == nil)
    }

    @Test func `the first that fits answers and one without conditions takes the rest`() throws {
        let conditions = ["query: {a: \"1\"}, header: {X: y}", "query: {a: \"1\"}", "raw_query: {like: \"*\"}"]

        #expect(try met(conditions, "/x/1?a=1", headers: [.init("X", "y")]) == 0)
        #expect(try met(conditions, "/x/1?a=1") == 1)
        #expect(try met(conditions, "/x/1?a=2") == 2)
    }

    @Test func `near misses name what is missing and keep secrets`() throws {
        let files = Self.files([
            "query: {a: \"1\"}, body: {amount.currency: GBP}, header: {Authorization: Bearer t, X-Id: null}, path: {id: b}"
        ])
        let router = PreparedBank(try files.library.load("till").bank).router

        let misses = router.nearMisses(
            BankRequest(
                "POST", "/x/a", query: "a=2", headers: [.init("authorization", "Bearer secret"), .init("x-id", "7")],
                body: Array(#"{"amount": {}}"#.utf8)))

        #expect(
            misses.first?.reasons == [
                "query field a: found `2`, expected `1`", "body field amount.currency: found nothing, expected `GBP`",
                "header Authorization: found something else, expected `Bearer t`", "header X-Id: found `7`, expected nothing",
                "path parameter id: found `a`, expected `b`",
            ])
    }

    @Test func `a path without the start of an operation's path is nearest to that operation`() throws {
        let files = Self.files(["query: {a: \"1\"}"])
        let router = PreparedBank(try files.library.load("till").bank).router

        let misses = router.nearMisses(BankRequest("POST", "/a", query: "a=1"))

        #expect(misses.first?.reasons == ["path: found `/a`, expected `/x` in front of it"])
    }

    @Test func `a read that only a header distinguishes is not kept for others`() throws {
        func areRepeatable(_ conditions: [String]) throws -> [Bool] {
            PreparedBank(try Self.files(conditions, method: "GET").library.load("till").bank).isRepeatable
        }

        #expect(try areRepeatable(["query: {a: b}", "path: {id: c}, raw_query: null"]) == [true, true])
        #expect(try areRepeatable(["query: {a: b}", "header: {X: y}", "path: {id: c}"]) == [true, false, false])
    }

    @Test(arguments: [
        (
            "querry: {a: b}",
            "found `querry`, expected path, query, header, form, body, state, raw_path, url, raw_query, query_names, json or text; did you mean `query`?"
        ),
        ("path: {ib: b}", "found the path's `ib`, expected id; did you mean `id`?"),
        ("query: {a: {lik: b}}", "found a mapping, expected a value, null for none, {like: \"a*\"}, {matches: \"[0-9]+\"}"),
        ("body: {a: {b: c}}", "found a mapping, expected a value, null for none, {like: \"a*\"}, {matches: \"[0-9]+\"} or {is: {…}}"),
        ("query: {a: {is: [b]}}", "found a list, expected a text"),
        ("query: {a: {like: []}}", "found a list, expected at least one pattern"),
        ("query: b", "found `b`, expected `query`, a mapping"),
    ])
    func `a faulty condition is reported`(condition: String, message: String) {
        #expect(
            complaints(Self.files([condition])).filter { $0.hasSuffix(": " + message) }.count == 1, "\(complaints(Self.files([condition])))"
        )
    }

    @Test(arguments: [
        ("query: {a: b}", "query: {a: b}, header: {X: y}"),
        ("query: {a: {like: \"b*\"}}", "query: {a: bc}"),
        ("header: {x: y}", "header: {X: y}"),
    ])
    func `an operation that another hides is reported`(earlier: String, later: String) {
        let reported = complaints(Self.files([earlier, later]))
        let other = complaints(Self.files([later, earlier]))

        #expect(reported.count == 1, "\(reported)")
        #expect(reported.first?.hasSuffix("`op0` precedes it and also matches POST /x/{id}") == true, "\(reported)")
        #expect(earlier.lowercased() == later.lowercased() || other == [])
    }

    @Test func `a file can go without a type`() throws {
        var files = Self.files([])
        files.files["till/bank.yaml"] =
            (files.files["till/bank.yaml"] ?? "") + """

                  raw: {request: GET /raw, reply: {file: a.txt, content_type: null}}
                  csv: {request: GET /csv, reply: {file: a.txt, content_type: text/csv}}
                """
        files.files["till/a.txt"] = "a;b"
        var caller = try Caller(files.library.load("till").bank, login: nil)

        #expect(caller.send("GET", "/raw").header("Content-Type") == nil)
        #expect(caller.send("GET", "/csv").header("content-type") == "text/csv")
    }
}
