import BankCore
import BankFiles
import BankModel
import TestBanks
import Testing

/// The receivers of `webhooks` in a bank, as they are read.
@Suite struct WebhookFileTests {
    /// The complaints about a bank with these receivers.
    private func complaints(_ to: String) -> [String] {
        let files = TestFiles.withWebhooks.replacing("till/bank.yaml", "retries: [5s, 5m, 1h]", with: "to: \(to)")
        do throws(ComplaintsError) {
            _ = try files.library.load("till")
            return []
        } catch { return error.complaints.map(\.message) }
    }

    @Test(arguments: ["http://127.0.0.1:9000/hook?team=1", "https://[::1]/", "http://hooks.example"])
    func `an http or https address is a receiver, whatever its host`(url: String) {
        #expect(complaints("[{url: \"\(url)\"}]") == [])
    }

    @Test(arguments: ["hook", "ftp://127.0.0.1/hook", "http://", "http://127.0.0.1:0/"])
    func `any other address is an error`(url: String) {
        #expect(
            complaints("[{url: \"\(url)\"}]") == [
                "found the address `\(url)`, expected one such as http://127.0.0.1:9000/hook, without user and fragment"
            ])
    }

    @Test func `a password in an address is not repeated`() {
        #expect(complaints("[{url: \"http://ann:secret@127.0.0.1/\"}]").map { $0.contains("secret") } == [false])
    }

    /// The complaints about the bank whose clients register webhooks, with an edit.
    private func complaints(_ old: String, _ new: String, in files: TestFiles = .withSubscriptions) throws -> [String] {
        try #require(files.files["till/bank.yaml"]?.contains(old) == true, "\(old)")
        do throws(ComplaintsError) {
            _ = try files.replacing("till/bank.yaml", old, with: new).library.load("till")
            return []
        } catch { return error.complaints.map(\.message) }
    }

    @Test func `operations register webhooks, and bodies have shapes`() throws {
        let found = try complaints("hooks", "hooks")
        #expect(found == [])
    }

    @Test(arguments: [
        ("paid: [payment.settled]", "paid: [payment.setled]", "payment.setled"),
        ("payment.settled: {jti", "payment.setled: {jti", "payment.setled"),
        ("{body: created}", "{path: id}", "the path has no parameter"),
        ("registers: {url: {body: url}, ", "registers: {", "`url` is missing"),
        ("registers: {url: {body: url}, ", "registers: {about: row, url: {body: url}, ", "found `about: row`, expected it for a row of"),
        ("events: {body: types}, names", "prefix: a, names", "found `prefix`, expected `events` beside it"),
        ("reply: {inserted: hooks}}", "reply: {of: {webhook: evnts}}}", "found `evnts`, expected registered or events"),
        ("hooks: {rows: hooks}}}", "hooks: {rows: hooks}}, headers: {Of: {webhook: events}}}", "found a mapping, expected a value"),
        ("delete: {hooks: {path: id}}", "registers: {url: {header: To}}", "found `registers`, expected it beside `insert`"),
    ])
    func `an error in what operations register is reported`(_ old: String, _ new: String, _ words: String) throws {
        let found = try complaints(old, new)
        #expect(found.contains { $0.contains(words) }, "\(found)")
    }

    @Test func `only a bank with webhooks registers them`() throws {
        let found = try complaints(
            "    insert: {payments:", "    registers: {url: {body: to}}\n    insert: {payments:", in: TestFiles())
        #expect(found == ["found `registers`, expected `webhooks` in the bank: it sends none"])
    }

    @Test(arguments: [(20, []), (21, ["found 21 retries, expected at most 20"])])
    func `a delivery is tried again 20 times at most`(_ count: Int, _ expected: [String]) throws {
        let retries = (1...count).map { "\($0)s" }.joined(separator: ", ")

        let found = try complaints("retries: [5s, 5m, 1h]", "retries: [\(retries)]", in: .withWebhooks)

        #expect(found == expected)
    }

    @Test func `more receivers than a session can have are an error`() {
        let receivers = (1...17).map { "{url: \"http://127.0.0.1:\($0)/\"}" }

        #expect(complaints("[\(receivers.dropLast().joined(separator: ", "))]") == [])
        #expect(complaints("[\(receivers.joined(separator: ", "))]") == ["found 17 receivers, expected at most 16"])
    }
}
