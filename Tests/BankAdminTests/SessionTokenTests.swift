import BankModel
import Testing

@testable import BankAdmin

/// The text of a session's own token. `make soak ONLY=tokens` holds the same of a whole server, built for release.
@Suite struct SessionTokenTests {
    /// Returns the given words one after the other.
    private struct Words: RandomNumberGenerator {
        var words: [UInt64]

        mutating func next() -> UInt64 { words.removeFirst() }
    }

    @Test func `a token is the 256 bits of its generator`() {
        var words = Words(words: [0, 0x0123_4567_89AB_CDEF, .max, 7])

        let token = SessionToken(using: &words)

        let bits = ["0000000000000000", "0123456789abcdef", "ffffffffffffffff", "0000000000000007"].joined()
        #expect(token.text == "cfs_\(bits)")
        #expect(words.words.isEmpty)
    }

    @Test func `the server's tokens share no 64 bits`() throws {
        let configuration = try AdminConfiguration(port: 0, token: "ABCDEFGH", bankHost: "127.0.0.1")
        let tokens = (1...1000).map { _ in configuration.makeSessionToken().text }

        let words = tokens.flatMap { token in (0..<4).map { token.dropFirst(4 + 16 * $0).prefix(16) } }

        #expect(Set(tokens).count == 1000)
        #expect(Set(words).count == 4000)
        let hexadecimalAdminToken = hexadecimal(Array("ABCDEFGH".utf8))
        #expect(!tokens.contains { $0.contains(hexadecimalAdminToken) })
    }
}
