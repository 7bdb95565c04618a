import BankModel

/// Faults of the body's compression, and of bytes after the body: the operation is executed.
extension StubBank.Fault {
    /// Sends the body with a wrong compression in a valid HTTP message.
    public static func gzip(_ coding: Coding) -> Self {
        switch coding {
        case .plainAsGzip: Self(kind: .gzip, ["how": "lies", "says": "gzip"])
        case .gzipUnannounced: Self(kind: .gzip, ["how": "lies", "says": "nothing"])
        case .cut(let position): Self(kind: .gzip, ["how": "cut", "at": position.json])
        case .bomb(let bytes): Self(kind: .gzip, ["how": "bomb", "bytes": .int(bytes)])
        case .unasked: Self(kind: .gzip, ["how": "unasked"])
        }
    }

    /// A mistake in a body's compression.
    public enum Coding: Sendable, Hashable {
        /// Plain text that is declared as gzip.
        case plainAsGzip
        /// A compressed body without `Content-Encoding`.
        case gzipUnannounced
        /// A gzip stream that ends early.
        case cut(at: Position)
        /// A small body that expands to this many bytes, at least 1,048,576.
        case bomb(bytes: Int)
        /// A valid gzip body, whatever the request accepts.
        case unasked
    }

    /// Sends the whole body in chunks, followed by trailer lines. HTTP/1.1 only.
    ///
    /// - Parameter lines: the lines by name.
    public static func trailers(_ lines: KeyValuePairs<String, String>) -> Self {
        Self(kind: .trailers, ["lines": .object(JSONObject(lines.map { (key: $0.key, value: .string($0.value)) }))])
    }
}
