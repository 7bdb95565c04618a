import BankCore
import BankFiles
import BankModel
import TestBanks
import Testing

/// The codings that a bank declares.
@Suite struct CompressionTests {
    private func bank(_ codings: String?) throws -> Bank {
        let key = codings.map { "\ncompression: \($0)" } ?? ""
        return try TestFiles().replacing("till/bank.yaml", "dialect: terse", with: "dialect: terse\(key)").library.load("till").bank
    }

    @Test func `codings are read in their order`() throws {
        #expect(try bank("[deflate, gzip]").compression == [.deflate, .gzip])
        #expect(try bank("[gzip]").compression == [.gzip])
        #expect(try bank(nil).compression.isEmpty)
    }

    @Test(arguments: ["[gzip, brotli]", "[]", "gzip", "true"]) func `anything else is rejected`(_ codings: String) {
        #expect(throws: ComplaintsError.self) { try bank(codings) }
    }

    @Test func `a shipped bank compresses`() throws {
        #expect(try Shipped.library.load("snapshot").bank.compression == [.gzip, .deflate])
    }
}
