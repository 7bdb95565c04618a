import BankCore
import BankModel
import Testing

@testable import BankEngine

@Suite struct ReplyCacheTests {
    private struct NoHeads: ReplyRenderer {
        func beginning(status: Int, headers: [JournalEntry.Header], bodyBytes: Int) -> [UInt8] { [] }

        func rest(_ tail: ReplyTail) -> [UInt8] { [] }
    }

    private func form(_ redaction: Redaction, bytes: Int) -> ReplyCache.Form {
        ReplyCache.Form(Reply(status: 200, body: [UInt8](repeating: 0, count: bytes)), nil, redaction, NoHeads())
    }

    private func reply(revision: Int, _ whole: ReplyCache.Form, _ unmodified: ReplyCache.Form? = nil) -> ReplyCache.Rendered {
        ReplyCache.Rendered(
            revision: revision, operation: OperationFacts(name: "read", roles: []), operationIndex: 0, access: .open, tag: nil,
            whole: whole, unmodified: unmodified ?? whole)
    }

    @Test func `a renewed reply takes the place of the old one, and leaves the others`() {
        let redaction = Redaction(tokens: TokenBook(), names: SecretNames())
        let (one, other) = (ReplyCache.Key(target: "/one", customer: ""), ReplyCache.Key(target: "/other", customer: ""))
        var cache = ReplyCache()
        cache.keep(reply(revision: 0, form(redaction, bytes: 10)), under: other)
        cache.keep(reply(revision: 0, form(redaction, bytes: 1 << 20)), under: one)
        let bytes = cache.bytes

        for revision in 1...20 { cache.keep(reply(revision: revision, form(redaction, bytes: 1 << 20)), under: one) }

        #expect(cache.reply(other, revision: 0) != nil)
        #expect(cache.reply(one, revision: 20) != nil)
        #expect(cache.bytes == bytes)
    }

    @Test func `all that a reply owns counts`() {
        let redaction = Redaction(tokens: TokenBook(), names: SecretNames())
        let (whole, unmodified) = (form(redaction, bytes: 1 << 20), form(redaction, bytes: 100))

        #expect(whole.bytes == (1 << 20) + whole.kept.count)
        #expect(unmodified.bytes == 100)
        #expect(reply(revision: 0, whole).bytes == whole.bytes)
        #expect(reply(revision: 0, whole, unmodified).bytes == whole.bytes + unmodified.bytes)
    }
}
