import BankModel

/// One call to a bank, before it is known who makes it.
public struct BankCall: Sendable, Hashable {
    public var method: String
    /// Absolute from the bank's address; its parts percent-encoded.
    public var path: String
    public var headers: HTTPHeaders
    public var body: [UInt8]?
    /// True if the call goes with the token of whoever is signed in.
    public var authorised: Bool
    /// The statuses that are a success for this call.
    public var expected: Set<Int>

    public init(
        _ method: String, _ path: String, headers: HTTPHeaders = HTTPHeaders(), body: [UInt8]? = nil, authorised: Bool = true,
        expected: Set<Int> = [200]
    ) {
        self.method = method
        self.path = path
        self.headers = headers
        self.body = body
        self.authorised = authorised
        self.expected = expected
    }

    /// A read, with what of the query is not nil.
    public static func get(_ path: String, query: [(String, String?)] = [], authorised: Bool = true) -> BankCall {
        BankCall("GET", path + Percent.query(query), headers: ["Accept": "application/json"], authorised: authorised)
    }

    /// A form (`application/x-www-form-urlencoded`) without anybody's token.
    public static func form(_ path: String, _ fields: [(String, String?)]) -> BankCall {
        let headers: HTTPHeaders = ["Accept": "application/json", "Content-Type": "application/x-www-form-urlencoded"]
        return BankCall("POST", path, headers: headers, body: Array(Percent.fields(fields).utf8), authorised: false)
    }
}

/// Percent-encoding (RFC 3986 §2.1): everything but the unreserved characters.
public enum Percent {
    public static func encode(_ text: String) -> String { percentEncoded(text) }

    static func fields(_ fields: [(String, String?)]) -> String {
        fields.compactMap { name, value in value.map { "\(encode(name))=\(encode($0))" } }.joined(separator: "&")
    }

    static func query(_ fields: [(String, String?)]) -> String {
        let text = Percent.fields(fields)
        return text.isEmpty ? "" : "?" + text
    }
}
