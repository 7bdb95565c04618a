import BankCore
import BankModel
import NIOCore
import NIOHTTP1
import StubServer

struct AdminRequest: Sendable {
    let method: HTTPMethod
    /// As sent, percent-encoded, without the query.
    let path: String
    let query: AdminQuery
    let headers: HTTPHeaders
    /// Whether the connection may carry another request (RFC 9112 §9.3).
    let keepsConnection: Bool
    /// Whether it is of HTTP/1.0, which knows no chunks (RFC 9112 §7.1).
    let isOld: Bool
    /// The body, of at most ``WireLimits/bodyBytes``.
    private(set) var body = ByteBuffer()
    /// The segments of the path that stand for the names in braces of the call's, as sent.
    var segments: [String: String] = [:]

    init(_ head: HTTPRequestHead) {
        let parts = head.uri.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        method = head.method
        path = String(parts[0])
        query = AdminQuery(parts.count > 1 ? parts[1] : "")
        headers = head.headers
        isOld = head.version != .http1_1
        // HTTP/1.0 knows no chunks: a proxy may see the end of this request elsewhere (RFC 9112 §6.1).
        keepsConnection = head.isKeepAlive && !(isOld && head.headers.contains(name: "Transfer-Encoding"))
    }

    mutating func take(_ piece: ByteBuffer) { body.writeImmutableBuffer(piece) }

    /// The host and port that it is for.
    var host: String? { headers.first(name: "Host") }

    /// Whether it only reads.
    var isRead: Bool { method == .GET || method == .HEAD }

    /// A segment of the path, percent-decoded; as sent if an escape is broken; empty if the path has none of that name.
    ///
    /// - Parameter name: the name in braces in the call's path.
    func segment(_ name: String) -> String {
        let text = segments[name] ?? ""
        return percentDecoded(text, plusIsSpace: false) ?? text
    }
}

/// The parameters of a query, in order.
struct AdminQuery: Sendable {
    let parameters: [(name: String, value: String)]

    /// - Parameter text: the query as sent, without the `?`. A text whose escapes are broken stands for itself.
    init(_ text: Substring) {
        parameters = text.split(separator: "&").map { parameter in
            let parts = parameter.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let texts = parts.map { percentDecoded($0, plusIsSpace: false) ?? String($0) }
            return (texts[0], texts.count > 1 ? texts[1] : "")
        }
    }

    /// The first value of that name.
    subscript(_ name: String) -> String? { parameters.first { $0.name == name }?.value }

    func all(_ name: String) -> [String] { parameters.filter { $0.name == name }.map(\.value) }

    /// The whole number in that parameter, at least 0; nil without one.
    ///
    /// - Throws: ``AdminProblem`` for any other value.
    func wholeNumber(_ name: String) throws -> Int? {
        guard let text = self[name] else { return nil }
        guard let number = Int(text), number >= 0 else {
            throw AdminProblem.badRequest("found \(name)=\(text), expected a whole number")
        }
        return number
    }

    /// The truth value of that parameter; nil without one.
    ///
    /// - Throws: ``AdminProblem`` if it is neither `true` nor `false`.
    func truth(_ name: String) throws -> Bool? {
        guard let text = self[name] else { return nil }
        guard let truth = Bool(text) else { throw AdminProblem.badRequest("found \(name)=\(text), expected true or false") }
        return truth
    }
}
