import BankCore
import BankEngine
import BankModel
import Crypto

/// A session's own admin token: it allows the calls under `/__admin/sessions/{session}` of that session, and no other.
///
/// The server stores its digest alone.
struct SessionToken {
    /// The token, as its owner sends it: 256 random bits.
    let text: String

    /// - Parameter generator: the system's generator outside tests; never the session's, whose seed others may know.
    init(using generator: inout some RandomNumberGenerator) {
        text = SessionToken.prefix + (0..<4).map { _ in hexadecimal(generator.next() as UInt64) }.joined()
    }

    private static let prefix = "cfs_"

    var digest: String { SessionToken.digest(of: text) }

    static func digest(of text: String) -> String { hexadecimal(Array(SHA256.hash(data: Array(text.utf8)))) }

    /// Whether the token allows a call.
    ///
    /// - Parameter path: the path of the call, without its query.
    static func allows(_ text: String, _ path: String, _ registry: SessionRegistry) -> Bool {
        let segments = path.split(separator: "/", omittingEmptySubsequences: false)
        guard segments.count >= 4, segments[0...2] == ["", "__admin", "sessions"], let session = registry.session(String(segments[3])),
            let wanted = session.metadata.tokenDigest
        else { return false }
        return digest(of: text) == wanted
    }

    /// The session whose token the text is; nil if it is none.
    static func session(of text: String, _ registry: SessionRegistry) -> BankSession? {
        guard text.hasPrefix(prefix) else { return nil }
        let found = digest(of: text)
        return registry.unsorted.first { $0.metadata.tokenDigest == found }
    }
}
