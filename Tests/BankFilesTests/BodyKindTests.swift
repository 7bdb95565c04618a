import BankCore
import BankFiles
import BankModel
import TestBanks
import Testing

/// `kinds` in `takes`: the kinds of a body's fields, if they are present.
@Suite struct BodyKindTests {
    private func files(_ takes: String) -> TestFiles {
        TestFiles().replacing("till/bank.yaml", "takes: {json: [from, to, amount]}", with: "takes: \(takes)")
    }

    @Test(arguments: [
        ("text", #""a""#, 201), ("text", "1", 400), ("text", "null", 400), ("number", "1.5", 201), ("number", #""1""#, 400),
        ("whole", "2", 201), ("whole", "2.0", 201), ("whole", "1.5", 400), ("flag", "true", 201), ("flag", "0", 400), ("list", "[]", 201),
        ("list", "{}", 400), ("object", "{}", 201), ("object", "[]", 400), ("texts", #"["a", ""]"#, 201), ("texts", "[]", 201),
        ("texts", "[{}]", 400), ("texts", #"["a", 1]"#, 400), ("texts", "[null]", 400), ("texts", #""a""#, 400), ("objects", "[{}]", 201),
        ("objects", "[]", 201), ("objects", #"[{}, "a"]"#, 400), ("objects", "[[]]", 400), ("objects", "{}", 400),
        ("instant", #""2026-01-12T09:15:00+01:00""#, 201), ("instant", #""2026-01-12""#, 201), ("instant", #""2026-02-30""#, 400),
        ("instant", #""""#, 400), ("instant", "5", 400),
    ])
    func `a field of another kind is a bad request`(_ kind: String, _ value: String, _ status: Int) throws {
        let bank = try files("{json: [from, to, amount], kinds: {note: \(kind)}}").library.load("till").bank
        var caller = try Caller(bank, login: "ann")

        let response = caller.send(
            "POST", "/v1/payments", headers: [.init("Idempotency-Key", "k")],
            body: #"{"from": "a1", "to": "p1", "amount": "1.00", "note": \#(value)}"#)
        #expect(response.status == status)
    }

    @Test func `a field that is not there is of every kind`() throws {
        let bank = try files("{json: [from, to, amount], kinds: {note: text, note.inner: text}}").library.load("till").bank
        var caller = try Caller(bank, login: "ann")

        let response = caller.send(
            "POST", "/v1/payments", headers: [.init("Idempotency-Key", "k")], body: #"{"from": "a1", "to": "p1", "amount": "1.00"}"#)
        #expect(response.status == 201)
    }

    @Test(arguments: [
        ("{json: [from, to, amount], kinds: {note: txt}}", "did you mean `text`?"),
        ("{json: [from, to, amount], knds: {note: text}}", "unknown key `knds`"),
        ("{form: [from, to, amount], kinds: {note: text}}", "expected none: a form has texts only"),
        ("{kinds: {note: text}}", "expected {json: [fields]} or {form: [fields]}"),
    ])
    func `unreadable files are named`(_ takes: String, _ complaint: String) {
        let error = #expect(throws: ComplaintsError.self) { try files(takes).library.load("till") }

        #expect(error?.description.contains(complaint) == true, "\(error?.description ?? "")")
    }
}
