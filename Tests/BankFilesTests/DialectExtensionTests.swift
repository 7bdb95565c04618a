import BankCore
import BankFiles
import BankModel
import TestBanks
import Testing

/// A dialect that extends another, and names only what differs.
@Suite struct DialectExtensionTests {
    /// The dialect of that text, which the bank speaks in place of its own.
    private func dialect(_ text: String, others: [String: String] = [:]) throws -> Dialect {
        try load(text, others: others).bank.dialect
    }

    private func load(_ text: String, others: [String: String] = [:]) throws -> LoadedBank {
        try files(text, others: others).library.load("till")
    }

    /// Templates are not equatable: their text has all that is in them.
    private func shown(_ value: (some Any)?) -> String { value.map { "\($0)" } ?? "none" }

    private func files(_ text: String, others: [String: String] = [:]) -> TestFiles {
        var files = TestFiles().replacing("till/bank.yaml", "dialect: terse", with: "dialect: mine")
        files.files["dialects/mine.yaml"] = text
        for (name, text) in others { files.files["dialects/\(name).yaml"] = text }
        return files
    }

    @Test func `a dialect inherits all that it does not name`() throws {
        let terse = try TestFiles().library.load("till").bank.dialect

        let mine = try dialect("dialect: mine\nextends: terse\nabout: As terse.")

        #expect(mine.name == "mine")
        #expect(mine.about == "As terse.")
        for name in DialectResponseName.allCases { #expect(shown(mine.responses[name]) == shown(terse.responses[name])) }
        #expect(shown(mine.headers) == shown(terse.headers))
        #expect(mine.requestID == terse.requestID)
        #expect(mine.idempotency?.longest == 40)
        #expect(mine.idempotency?.marker == terse.idempotency?.marker)
    }

    @Test func `maps of settings are merged by key`() throws {
        let terse = try TestFiles().library.load("till").bank.dialect

        let mine = try dialect(
            """
            dialect: mine
            extends: terse
            about: Other statuses.
            headers: {cache-control: private, X-Mine: "1"}
            idempotency: {longest: 36}
            replies: {not-found: {status: 410}, maintenance: {headers: {Retry-After: "9"}}}
            """)

        #expect(
            shown(mine.headers) == shown([HeaderTemplate("cache-control", .literal("private")), HeaderTemplate("X-Mine", .literal("1"))]))
        #expect(mine.idempotency?.longest == 36)
        #expect(mine.idempotency?.stored == .executed)
        #expect(mine.responses[.notFound]?.status == 410)
        #expect(shown(mine.responses[.notFound]?.body) == shown(terse.responses[.notFound]?.body))
        #expect(mine.responses[.maintenance]?.status == 503)
        #expect(shown(mine.responses[.maintenance]?.headers) == shown([HeaderTemplate("Retry-After", .literal("9"))]))
    }

    @Test func `a body, a source and a list replace the other's as a whole`() throws {
        let mine = try dialect(
            """
            dialect: mine
            extends: terse
            about: Other bodies.
            idempotency: {marker: {X-Replay: "1"}, key: {header: X-Key}}
            replies: {not-found: {body: {code: gone}}}
            """)
        let alone = try dialect(
            TestFiles.till["dialects/terse.yaml", default: ""].replacing("dialect: terse", with: "dialect: mine")
                .replacing("{error: not-found, detail: {detail: nothing here}}", with: "{code: gone}"))

        #expect(shown(mine.responses[.notFound]) == shown(alone.responses[.notFound]))
        #expect(mine.idempotency?.marker?.name == "X-Replay")
        #expect(mine.idempotency?.key == .header("X-Key"))
    }

    @Test func `a tilde removes what is inherited`() throws {
        let mine = try dialect(
            """
            dialect: mine
            extends: terse
            about: Less.
            request_id: ~
            magic: {amounts: {"7": ~}}
            idempotency: {window: ~}
            replies: {not-found: {body: ~}}
            """)

        #expect(mine.requestID == nil)
        #expect(mine.magic.amounts.isEmpty)
        #expect(mine.idempotency?.window == nil)
        #expect(mine.responses[.notFound]?.body == nil)
        #expect(mine.responses[.notFound]?.status == 404)
    }

    @Test func `the nearest dialect of a chain wins, and all its files are the bank's`() throws {
        let loaded = try load(
            "dialect: mine\nextends: middle\nabout: The last.\nreplies: {step-up: {status: 401}}",
            others: [
                "middle": "dialect: middle\nextends: terse\nabout: Between.\nreplies: {step-up: {status: 418}, not-found: {status: 410}}"
            ])

        #expect(loaded.bank.dialect.responses[.stepUp]?.status == 401)
        #expect(loaded.bank.dialect.responses[.notFound]?.status == 410)
        for name in ["mine", "middle", "terse"] { #expect(loaded.files.contains("Stubs/dialects/\(name).yaml")) }
    }

    @Test(arguments: [
        (
            "extends: ters", "Stubs/dialects/mine.yaml:2:10: found the dialect `ters`, expected mine or terse; did you mean `terse`?"
        ),
        (
            "extends: ../till/bank", "Stubs/dialects/mine.yaml:2:10: found the dialect `../till/bank`, expected mine or terse"
        ),
        (
            "extends: mine",
            "Stubs/dialects/mine.yaml:2:10: found the dialect `mine`, but `mine` extends `mine`, expected a dialect that does not extend this one"
        ),
        ("extends: [terse]", "Stubs/dialects/mine.yaml:2:10: found a list, expected a text"),
        ("extend: terse", "Stubs/dialects/mine.yaml:2:1: unknown key `extend` in a dialect; did you mean `extends`?"),
        (
            "extends: terse\nreplies: {not-fond: {status: 410}}",
            "Stubs/dialects/mine.yaml:3:11: found `not-fond`, expected \(oneOf(DialectResponseName.allCases.map(\.rawValue))); did you mean `not-found`?"
        ),
        ("extends: terse\nreplies: {not-found: ~}", "Stubs/dialects/mine.yaml:3:10: `not-found` missing in `replies`"),
    ])
    func `an error in an extension is reported with its position`(_ lines: String, _ expected: String) {
        let found = complaints(files("dialect: mine\n\(lines)\nabout: Mine."))

        #expect(found.contains(expected), "\(found)")
    }

    @Test func `a cycle is named by its way`() {
        let found = complaints(
            files(
                "dialect: mine\nextends: yours\nabout: Mine.",
                others: ["yours": "dialect: yours\nextends: mine\nabout: Yours."]))

        #expect(
            found.contains(
                "Stubs/dialects/yours.yaml:2:10: found the dialect `mine`, but `mine` extends `yours` extends `mine`, "
                    + "expected a dialect that does not extend this one"), "\(found)")
    }

    @Test(arguments: [(8, true), (9, false)])
    func `a chain has at most eight dialects`(_ count: Int, _ isAllowed: Bool) {
        var others: [String: String] = [:]
        for number in 2..<count {
            others["d\(number)"] =
                "dialect: d\(number)\nextends: \(number + 1 < count ? "d\(number + 1)" : "terse")\nabout: Number \(number)."
        }

        let found = complaints(files("dialect: mine\nextends: d2\nabout: Mine.", others: others))

        #expect(found.isEmpty == isAllowed)
        #expect(isAllowed || found.contains { $0.hasSuffix("expected at most 8") }, "\(found)")
    }
}
