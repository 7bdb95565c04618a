import BankModel

/// Faults of the response's head and body: the operation is executed.
extension StubBank.Fault {
    /// Sends bytes that are not HTTP, then closes the connection. HTTP/1.1 only.
    ///
    /// - Parameter count: the number of bytes, from 1 to 1,048,576. They follow from the bank's seed.
    public static func garbage(_ count: Int = 64) -> Self { Self(kind: .garbage, ["random": .int(count)]) }

    /// Sends a header block of this size.
    ///
    /// - Parameters:
    ///   - bytes: the size of the block: at least 64 bytes and at least 32 for each line; on HTTP/2 at most 14,000.
    ///   - lines: the number of header lines that fill it.
    public static func hugeHead(bytes: Int, lines: Int = 1) -> Self {
        Self(kind: .hugeHead, ["bytes": .int(bytes), "lines": .int(lines)])
    }

    /// Sends the right body with another `Content-Type`.
    ///
    /// - Parameter value: a media type such as `text/html`.
    public static func contentType(_ value: String) -> Self { Self(kind: .contentType, ["value": .string(value)]) }

    /// Sends the right response with other headers, or with other texts in its body.
    ///
    /// - Parameters:
    ///   - headers: headers to set, by name.
    ///   - names: headers to leave out.
    ///   - texts: texts of the body, each with the one that is sent in its place, wherever it occurs.
    public static func edit(
        headers: [String: String] = [:], without names: [String] = [], replacing texts: [String: String] = [:]
    ) -> Self {
        Self(
            kind: .edit,
            [
                "headers": headers.sortedObject, "without": names.isEmpty ? nil : .array(names.map(JSON.string)),
                "replace": texts.sortedObject,
            ])
    }

    /// Sends the right response with a header `Set-Cookie`.
    ///
    /// - Parameters:
    ///   - name: the cookie's name.
    ///   - value: the cookie's value.
    ///   - attributes: the text after the value, such as `Path=/; HttpOnly`; nil for none.
    public static func setCookie(_ name: String = "session", value: String = "n3k7", attributes: String? = nil) -> Self {
        Self(kind: .setCookie, ["name": .string(name), "value": .string(value), "attributes": attributes.map(JSON.string)])
    }

    /// Sends a wrong `Date` header.
    ///
    /// - Parameter skew: the offset of the header; positive for the future, negative for the past.
    public static func dateSkew(by skew: Duration) -> Self {
        Self(kind: .dateSkew, ["by": .string(skew < .zero ? "-\((.zero - skew).shortText)" : skew.shortText)])
    }

    /// A position in a body.
    public enum Position: Sendable, Hashable {
        /// After this number of bytes. The fault does not apply to a body that is not longer.
        case bytes(Int)
        /// After this fraction of the body: at least 0 and less than 1.
        case fraction(Double)

        var json: JSON {
            switch self {
            case .bytes(let count): .int(count)
            case .fraction(let part): .double(part)
            }
        }
    }

    /// Ends the body early.
    ///
    /// - Parameters:
    ///   - position: the end of the body; by default the middle.
    ///   - honest: true for a valid HTTP message in which only the JSON is cut; false for a message that announces the whole length.
    public static func truncate(at position: Position = .fraction(0.5), honest: Bool = false) -> Self {
        Self(kind: .truncate, ["at": position.json, "framing": .string(honest ? "honest" : "short")])
    }

    /// Sends the whole body with a `Content-Length` that is too large.
    ///
    /// - Parameter bytes: the number of bytes that are announced and not sent.
    public static func longerLength(by bytes: Int = 100) -> Self { Self(kind: .longerLength, ["by": .int(bytes)]) }

    /// Resets the connection inside the body.
    public static func resetBody(at position: Position = .fraction(0.5)) -> Self { Self(kind: .resetBody, ["at": position.json]) }

    /// Stops sending inside the body. The rest follows on ``StubBank/release()``.
    public static func stallBody(at position: Position = .fraction(0.5)) -> Self { Self(kind: .stallBody, ["at": position.json]) }

    /// Sends the body slowly.
    ///
    /// - Parameter bytesPerSecond: the rate, at least 1 byte per second.
    public static func slow(bytesPerSecond: Int) -> Self { Self(kind: .slow, ["bytes_per_second": .int(bytesPerSecond)]) }

    /// Sends the body in pieces.
    ///
    /// - Parameters:
    ///   - chunks: the number of pieces.
    ///   - duration: the real time that all of them take.
    public static func slow(chunks: Int, over duration: Duration) -> Self {
        Self(kind: .slow, ["chunks": .int(chunks), "over": .string(duration.shortText)])
    }

    /// Closes the connection in the middle of a chunk of a chunked body. HTTP/1.1 only.
    public static let cutChunk = Self(kind: .badChunk, ["how": "cut"])

    /// Sends a chunked body with a malformed chunk size. HTTP/1.1 only.
    public static let badChunkSize = Self(kind: .badChunk, ["how": "size"])

    /// Sends a damaged body in a valid HTTP message.
    public static func corrupt(_ damage: Damage) -> Self {
        let (name, value): (String, JSON) =
            switch damage {
            case .malformedJSON(let mistake): ("json", .string(mistake.rawValue))
            case .badUTF8: ("utf8", true)
            case .byteOrderMark: ("bom", true)
            case .badGzip: ("gzip", true)
            case .duplicateKeys: ("duplicate-keys", true)
            case .wrongType: ("wrong-type", true)
            case .nullForValues: ("null", true)
            case .deepNesting(let depth): ("deep", .int(depth))
            case .huge(let bytes): ("huge", .int(bytes))
            }
        return Self(kind: .corrupt, [name: value])
    }

    /// The damage that a body gets.
    public enum Damage: Sendable, Hashable {
        /// Text that is almost JSON.
        case malformedJSON(JSONMistake)
        /// Bytes inside the first string that are not valid UTF-8.
        case badUTF8
        /// A byte order mark before the body.
        case byteOrderMark
        /// A body that is declared as gzip and is not compressed.
        case badGzip
        /// The first member of each object twice, with different values.
        case duplicateKeys
        /// Strings in place of numbers, and numbers in place of strings.
        case wrongType
        /// Null in place of every value.
        case nullForValues
        /// Nested arrays, this many levels deep.
        case deepNesting(Int)
        /// White space after the value, up to a body of this many bytes.
        case huge(Int)
    }
    /// A mistake that makes a text invalid JSON (RFC 8259).
    public enum JSONMistake: String, Sendable, CaseIterable {
        /// No text at all.
        case empty
        /// Only white space.
        case blank
        /// The last closing bracket is missing.
        case unclosed
        /// There is one closing bracket too many.
        case closedTwice = "closed-twice"
        case trailingComma = "trailing-comma"
        case missingColon = "missing-colon"
        case singleQuotes = "single-quotes"
        case unquotedKey = "unquoted-key"
        /// A comment in front of the value.
        case comment
        /// `NaN` in place of the first value.
        case notANumber = "nan"
        /// A line break inside the first string.
        case controlCharacter = "control-character"
        /// An escape that JSON does not have, inside the first string.
        case badEscape = "bad-escape"
        /// A second value after the first.
        case twoValues = "two-values"
        /// A NUL byte after the value.
        case nulByte = "nul-byte"
        /// A guard against scripts in front of the value, as some services send it.
        case guardPrefix = "guard-prefix"
        /// A bare word.
        case word
    }
}

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

extension [String: String] {
    /// The members in the order of their names; nil if there are none.
    var sortedObject: JSON? {
        isEmpty ? nil : .object(JSONObject(sorted { $0.key < $1.key }.map { (key: $0.key, value: .string($0.value)) }))
    }
}
