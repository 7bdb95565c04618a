/// A request as sent over the wire.
public struct HTTPRequest: Sendable, Hashable {
    /// `GET`, `POST`, `PUT`…
    public var method: String
    /// Absolute; `http` or `https`.
    public var url: String
    public var headers: HTTPHeaders
    /// The exact bytes to send; nil sends none.
    public var body: [UInt8]?

    public init(_ method: String, _ url: String, headers: HTTPHeaders = HTTPHeaders(), body: [UInt8]? = nil) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
    }

    /// True for methods that change nothing (RFC 9110 §9.2.1); only these follow a redirect.
    public var isSafe: Bool { method == "GET" || method == "HEAD" }

    /// True for a `GET` without a body, as nearly all are.
    var isPlainRead: Bool { method == "GET" && body == nil }
}

extension HTTPRequest: CustomStringConvertible {
    /// Method and address; never a header, which may hold a token.
    public var description: String { "\(method) \(url)" }
}

/// A complete answer: an empty line ended its head, and its stated length, last chunk or stream end ended its body.
public struct HTTPResponse: Sendable, Hashable {
    public var status: Int
    public var headers: HTTPHeaders
    public var body: [UInt8]

    public init(status: Int, headers: HTTPHeaders = HTTPHeaders(), body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// The media type in lower case without parameters, such as `application/json`; empty if none is stated.
    public var mediaType: String {
        let stated = headers["Content-Type"] ?? ""
        return stated.prefix { $0 != ";" }.filter { $0 != " " && $0 != "\t" }.lowercased()
    }
}
