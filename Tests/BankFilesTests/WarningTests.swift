import BankFiles
import BankModel
import TestBanks
import Testing

/// The warnings about a bank that is served all the same, and their order.
@Suite struct WarningTests {
    private func warnings(_ files: TestFiles) throws -> [String] { try files.library.load("till").warnings.map(\.description) }

    private let badDate = TestFiles()
        .replacing("till/bank.yaml", "payees.json, key: id", with: "payees.json, key: id, dates: {since: day}")
        .replacing("till/payees.json", "\"Grocer\"", with: "\"Grocer\", \"since\": \"2026-02-30\"")

    @Test func `a date that is none is warned of unless the bank means it`() throws {
        let meant = badDate.replacing("till/bank.yaml", "dialect: terse", with: "dialect: terse\ndirty: [date]")

        #expect(
            try warnings(badDate) == [
                "Stubs/till/payees.json:1:2: warning: row 1: found since `2026-02-30`, expected a date such as 2026-01-12T09:15:00Z (or `dirty: [date]` in bank.yaml)"
            ])
        #expect(try warnings(meant) == [])
    }

    @Test(arguments: ["2026-01-12", "12/01/2026", "4/1/2026", "2026-01-12T09:15:00.000Z", "2026-01-12T09:15:00+02:00"])
    func `a usual date is no fault`(_ text: String) throws {
        #expect(try warnings(badDate.replacing("till/payees.json", "2026-02-30", with: text)) == [])
    }

    @Test(arguments: [
        "12/13/2026", "31/04/2026", "07-22T13:51:12.000Z", "2018-07-30T19:36:60.000Z", "2018--11T11:31:27.000Z", "", "1/2/3/2026",
        "1//1/2026",
    ])
    func `an impossible date is reported once`(_ text: String) throws {
        #expect(try warnings(badDate.replacing("till/payees.json", "2026-02-30", with: text)).count == 1)
    }

    @Test(arguments: ["\"31/01/2024\"", "1700000000", "1700000000000", "\"2018-03-06T00:00:00\""])
    func `a date that a range can never find is warned of once`(_ date: String) throws {
        let files = TestFiles().replacing("till/bank.yaml", ", dates: {at: seconds}", with: "")
            .replacing("till/bank.yaml", "order: -at, ", with: "")
            .replacing("till/entries.json", "\"@-9d08:00\"", with: date).replacing("till/entries.json", "\"@-2d09:15\"", with: date)
            .replacing("till/entries.json", "\"@-1d23:59\"", with: date).replacing("till/entries.json", "\"@-1d10:00\"", with: date)
            .replacing("till/entries.json", "\"@0d00:00\"", with: date)

        let found = try warnings(files)
        #expect(found.count == 1)
        #expect(found.first?.contains("`between` never finds such a row") == true)
        #expect(try warnings(files.replacing("till/bank.yaml", "dialect: terse", with: "dialect: terse\ndirty: [date]")) == [])
    }

    @Test func `dates that are sorted by their text are warned of`() throws {
        let files = TestFiles().replacing("till/bank.yaml", "payees.json, key: id", with: "payees.json, key: id, order: since")
            .replacing("till/payees.json", "\"Grocer\"", with: "\"Grocer\", \"since\": \"31/01/2024\"")

        #expect(try warnings(files).first?.contains("sorted by this text, not by time") == true)
        #expect(try warnings(files.replacing("till/payees.json", "31/01/2024", with: "2024-01-31")) == [])
    }

    @Test func `a row without an owner is warned of`() throws {
        let files = TestFiles()
            .replacing("till/bank.yaml", "owns: {accounts: [b1]}, ", with: "")

        #expect(
            try warnings(files) == [
                "Stubs/till/accounts.json:2:2: warning: row 3: found the key `b1`, expected it under the `owns` of a customer: no response will ever contain the row"
            ])
    }

    /// The warnings of a bank whose response `step-up` has these parts.
    private func warnings(ofStepUp parts: String) throws -> [String] {
        let stepUp = "step-up: {status: 403, body: {error: step-up}}"
        return try warnings(TestFiles().replacing("dialects/terse.yaml", stepUp, with: "step-up: {status: 403, \(parts)}"))
    }

    @Test func `braces inside a literal are not warned of`() throws {
        #expect(try warnings(ofStepUp: "body: {error: {literal: 'no {query.state}'}}") == [])
    }

    @Test(arguments: ["body: {error: 'no {query.state}'}", "headers: {Location: 'myapp://cb?state={query.state}'}"])
    func `braces inside a text are warned of`(_ parts: String) throws {
        let message =
            "warning: found `{query.state}` inside a text, which is sent unchanged, expected a directive as the whole value, such as "
            + "{query: state} (or `{literal: …}`, for literal braces)"
        let warnings = try warnings(ofStepUp: parts)
        #expect(warnings.count == 1)
        #expect(warnings.first?.hasPrefix("Stubs/dialects/terse.yaml:19:") == true)
        #expect(warnings.first?.hasSuffix(message) == true)
    }

    @Test(arguments: ["?", "#"])
    func `a query in the path of an operation is warned of`(_ mark: String) throws {
        let warnings = try warnings(
            TestFiles().replacing("till/bank.yaml", "request: GET /clock", with: "request: \"GET /clock\(mark)zone=1\""))

        #expect(warnings.count == 1)
        #expect(
            warnings.first?.hasSuffix(
                "warning: found `\(mark)` in the path `/clock\(mark)zone=1`, expected none: a query is not part of a path; the condition "
                    + "`when: {query: …}` selects requests by it") == true, "\(warnings)")
    }

    @Test func `faults are reported file by file in the order of lines`() throws {
        let files = TestFiles()
            .replacing("till/bank.yaml", "order: -at", with: "order: -att")
            .replacing("till/bank.yaml", "status: 423", with: "status: 999")
            .replacing("till/accounts.json", "\"5.50\"", with: "\"5.505\"")
            .replacing("till/payees.json", "}]", with: "}")
            .replacing("dialects/terse.yaml", "longest: 40", with: "longest: none")

        let error = #expect(throws: ComplaintsError.self) { try files.library.load("till") }

        let positions = error?.complaints.map { $0.description.split(separator: ": ").first ?? "" }
        #expect(
            positions == [
                "Stubs/dialects/terse.yaml:10:12", "Stubs/till/accounts.json:1:56", "Stubs/till/payees.json:1:32",
                "Stubs/till/bank.yaml:13:49",
                "Stubs/till/bank.yaml:32:24",
            ])
    }

    @Test(
        arguments: [
            ([0x62, 0xFF], "found bytes that are not UTF-8, expected UTF-8"),
            ([0xFF, 0xFE, 0x62, 0x00], "found UTF-16, expected UTF-8 (`iconv -f UTF-16 -t UTF-8` converts it)"),
            ([0xFE, 0xFF, 0x00, 0x62], "found UTF-16, expected UTF-8 (`iconv -f UTF-16 -t UTF-8` converts it)"),
        ] as [([UInt8], String)])
    func `bytes that are no UTF-8 are reported`(_ bytes: [UInt8], _ message: String) throws {
        let valid = TestFiles()
        let library = BankLibrary(
            folder: "Stubs",
            files: FileReader(
                read: { (path: String) -> [UInt8]? in
                    if path.hasSuffix("bank.yaml") { return bytes }
                    let text = valid.files[String(path.dropFirst("Stubs/".count))]
                    return text.map { Array($0.utf8) }
                },
                list: { $0 == "Stubs" ? ["till"] : [] }))

        let error = #expect(throws: ComplaintsError.self) { try library.load("till") }

        #expect(error?.description == "Stubs/till/bank.yaml: \(message)")
    }
}
