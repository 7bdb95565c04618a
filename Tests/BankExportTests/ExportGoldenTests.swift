import BankExport
import BankFiles
import BankModel
import TestBanks
import Testing

/// The exported files of a small bank, each compared with a file: a changed description shows in a diff.
@Suite struct ExportGoldenTests {
    private let golden = Golden()

    @Test func `the OpenAPI description is as it was written down`() throws {
        let bank = try TestFiles().library.load("till").bank

        let document = OpenAPIDocument(bank, version: "1", servers: ["http://bank"]).json

        #expect(golden.difference("openapi.json", document.pretty) == nil)
    }

    @Test func `the pact is as it was written down`() throws {
        let bank = try TestFiles().library.load("till").bank

        let exported = PactExport(consumer: "app").convert(bank)

        #expect(golden.difference("pact.json", exported.json.pretty) == nil)
    }
}
