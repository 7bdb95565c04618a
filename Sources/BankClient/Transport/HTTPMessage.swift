import BankModel

/// A request as sent over the wire.
package struct HTTPRequest: Sendable, Hashable {
    /// `GET`, `POST`, `PUT`…
    package var method: String
    /// Absolute; `http` or `https`.
    package var url: String
    package var headers: HTTPHeaders
    /// The exact bytes to send; nil sends none.
    package var body: [UInt8]?
    /// True for a request that the server may see once only: it gets a new connection, since one that was used before may end, and
    /// libcurl then sends the request again by itself.
    package var needsNewConnection = false

    package init(_ method: String, _ url: String, headers: HTTPHeaders = HTTPHeaders(), body: [UInt8]? = nil) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
    }

    /// True for methods that change nothing (RFC 9110 §9.2.1); only these follow a redirect.
    package var isSafe: Bool { method == "GET" || method == "HEAD" }

    /// True if the transport asks for a compressed answer and unpacks it: the request itself does not set what it accepts.
    var unpacksAnswer: Bool { headers["Accept-Encoding"] == nil }
}

/// A complete answer: an empty line ended its head, and its stated length, last chunk or stream end ended its body.
package struct HTTPResponse: Sendable, Hashable {
    package var status: Int
    package var headers: HTTPHeaders
    package var body: [UInt8]

    package init(status: Int, headers: HTTPHeaders = HTTPHeaders(), body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }

    /// The media type in lower case without parameters, such as `application/json`; empty if none is stated.
    package var mediaType: String {
        let stated = headers["Content-Type"] ?? ""
        return stated.prefix { $0 != ";" }.filter { $0 != " " && $0 != "\t" }.lowercased()
    }

    /// The body, if it is JSON by its media type and in fact.
    var json: JSON? { mediaType.hasSuffix("json") ? try? JSON(parsing: body) : nil }

    /// True for server-sent events (WHATWG HTML §9.2.5).
    var isEventStream: Bool { status == 200 && mediaType == "text/event-stream" }
}

/// The parts of a request or answer that may be printed, dumped or logged: never an identifying header, never a body.
///
/// A body holds a password or a token at a sign-in, and a customer's data at any other time.
extension HTTPHeaders.Line: CustomStringConvertible, CustomReflectable {
    private static let secret: Set = ["authorization", "proxy-authorization", "cookie", "set-cookie", "consent-id"]

    package var description: String { "\(name): " + (HTTPHeaders.Line.secret.contains(name.lowercased()) ? "(redacted)" : value) }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

extension HTTPHeaders: CustomStringConvertible, CustomReflectable {
    package var description: String { lines.description }
    package var customMirror: Mirror { Mirror(self, children: ["lines": lines]) }
}

extension HTTPRequest: CustomStringConvertible, CustomReflectable {
    package var description: String { "\(method) \(url)" }
    package var customMirror: Mirror {
        Mirror(self, children: ["method": method, "url": url, "headers": headers, "bytesOfBody": body?.count ?? 0])
    }
}

extension HTTPResponse: CustomStringConvertible, CustomReflectable {
    package var description: String { "status \(status), \(body.count) bytes of \(mediaType.isEmpty ? "no type" : mediaType)" }
    package var customMirror: Mirror { Mirror(self, children: ["status": status, "headers": headers, "bytesOfBody": body.count]) }
}

extension BankCall: CustomStringConvertible, CustomReflectable {
    package var description: String { "\(method) \(path)" }
    package var customMirror: Mirror {
        Mirror(self, children: ["method": method, "path": path, "headers": headers, "bytesOfBody": body?.count ?? 0])
    }
}
