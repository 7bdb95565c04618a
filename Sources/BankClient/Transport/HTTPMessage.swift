/// A request as it will go over the wire.
public struct HTTPRequest: Sendable, Hashable {
    /// `GET`, `POST`, `PUT`…
    public var method: String
    /// Absolute; `http` or `https`.
    public var url: String
    public var headers: HTTPHeaders
    /// The exact bytes to send; nil sends none.
    public var body: [UInt8]?

    public init(_ method: String, _ url: String, headers: HTTPHeaders = HTTPHeaders(), body: [UInt8]? = nil) {
        (self.method, self.url, self.headers, self.body) = (method, url, headers, body)
    }

    /// True for methods that change nothing (RFC 9110 §9.2.1); only these follow a redirect.
    public var isSafe: Bool { method == "GET" || method == "HEAD" }
}

extension HTTPRequest: CustomStringConvertible {
    /// Method and address; never a header, which may hold a token.
    public var description: String { "\(method) \(url)" }
}

/// A whole answer: its head was ended by an empty line and its body by its stated length, last chunk or stream end.
public struct HTTPResponse: Sendable, Hashable {
    public var status: Int
    public var headers: HTTPHeaders
    public var body: [UInt8]

    public init(status: Int, headers: HTTPHeaders = HTTPHeaders(), body: [UInt8] = []) {
        (self.status, self.headers, self.body) = (status, headers, body)
    }

    /// The media type in lower case without parameters, such as `application/json`; empty if none is stated.
    public var mediaType: String {
        let stated = headers["Content-Type"] ?? ""
        return stated.prefix { $0 != ";" }.filter { $0 != " " && $0 != "\t" }.lowercased()
    }
}

/// Header lines in order; names compare without case (RFC 9110 §5.1).
public struct HTTPHeaders: Sendable, Hashable {
    /// One line of a head.
    public struct Line: Sendable, Hashable {
        public var name: String
        public var value: String
    }

    public private(set) var lines: [Line] = []

    public init() {}

    public mutating func append(_ name: String, _ value: String) { lines.append(Line(name: name, value: value)) }

    /// The first value of that name. Setting replaces all lines of the name; nil removes them.
    public subscript(_ name: String) -> String? {
        get { lines.first { HTTPHeaders.same($0.name, name) }?.value }
        set {
            lines.removeAll { HTTPHeaders.same($0.name, name) }
            if let newValue { append(name, newValue) }
        }
    }

    /// All values of that name, in order.
    public func values(_ name: String) -> [String] { lines.filter { HTTPHeaders.same($0.name, name) }.map(\.value) }

    /// Names are ASCII: `A` to `Z` count as `a` to `z`, every other byte as itself.
    private static func same(_ one: String, _ other: String) -> Bool {
        let lower = { (byte: UInt8) in 0x41 <= byte && byte <= 0x5A ? byte | 0x20 : byte }
        return one.utf8.count == other.utf8.count && zip(one.utf8, other.utf8).allSatisfy { lower($0) == lower($1) }
    }
}

extension HTTPHeaders: ExpressibleByDictionaryLiteral {
    public init(dictionaryLiteral elements: (String, String)...) {
        lines = elements.map { Line(name: $0.0, value: $0.1) }
    }
}
