import BankModel

/// Faults of the reply's head and body: the operation is executed.
extension StubBank.Fault {
    /// Bytes that are no HTTP, then the end.
    ///
    /// - Parameter count: how many, from the bank's seed.
    public static func garbage(_ count: Int = 64) -> Self { Self(kind: "garbage", ["random": .int(count)]) }

    /// A header block of that size.
    ///
    /// - Parameters:
    ///   - bytes: from 64, and at least 32 a line.
    ///   - lines: how many headers.
    public static func hugeHead(bytes: Int, lines: Int = 1) -> Self {
        Self(kind: "huge-head", ["bytes": .int(bytes), "lines": .int(lines)])
    }

    /// The body as it is, under another media type.
    public static func contentType(_ value: String) -> Self { Self(kind: "content-type", ["value": .string(value)]) }

    /// The header `Date` lies.
    ///
    /// - Parameter skew: how far it is ahead; below zero: behind.
    public static func dateSkew(by skew: Duration) -> Self {
        Self(kind: "date-skew", ["by": .string(skew < .zero ? "-\((.zero - skew).shortText)" : skew.shortText)])
    }

    /// Where in a body something happens.
    public enum Position: Sendable, Hashable {
        /// After so many bytes.
        case bytes(Int)
        /// After that part of it, from 0 and below 1.
        case fraction(Double)

        var json: JSON {
            switch self {
            case .bytes(let count): .int(count)
            case .fraction(let part): JSONNumber(String(part)).map(JSON.number) ?? .string(String(part))
            }
        }
    }

    /// The body ends early.
    ///
    /// - Parameters:
    ///   - position: where; by default in the middle.
    ///   - honest: whether the length says so too, so that only the JSON is cut; otherwise more is promised than comes.
    public static func truncate(at position: Position = .fraction(0.5), honest: Bool = false) -> Self {
        Self(kind: "truncate", ["at": position.json, "framing": honest ? "honest" : "short"])
    }

    /// The whole body, with a larger length than it has.
    ///
    /// - Parameter bytes: how much larger.
    public static func longerLength(by bytes: Int = 100) -> Self { Self(kind: "longer-length", ["by": .int(bytes)]) }

    /// The connection is reset in the body.
    public static func resetBody(at position: Position = .fraction(0.5)) -> Self { Self(kind: "reset-body", ["at": position.json]) }

    /// Silence in the body.
    public static func stallBody(at position: Position = .fraction(0.5)) -> Self { Self(kind: "stall-body", ["at": position.json]) }

    /// The body dribbles.
    ///
    /// - Parameter bytesPerSecond: from 1.
    public static func slow(bytesPerSecond: Int) -> Self { Self(kind: "slow", ["bytes_per_second": .int(bytesPerSecond)]) }

    /// The body comes in pieces.
    ///
    /// - Parameters:
    ///   - chunks: how many.
    ///   - duration: in what time, in real time.
    public static func slow(chunks: Int, over duration: Duration) -> Self {
        Self(kind: "slow", ["chunks": .int(chunks), "over": .string(duration.shortText)])
    }

    /// A chunked body that stops in the middle of a chunk. HTTP/1.1 alone can carry it.
    public static let cutChunk = Self(kind: "bad-chunk", ["how": "cut"])

    /// A chunked body with a malformed size. HTTP/1.1 alone can carry it.
    public static let badChunkSize = Self(kind: "bad-chunk", ["how": "size"])

    /// A body that is damaged, in right framing.
    public static func corrupt(_ damage: Damage) -> Self {
        let (name, value): (String, JSON) =
            switch damage {
            case .malformedJSON(let kind): ("json", .string(kind))
            case .badUTF8: ("utf8", true)
            case .byteOrderMark: ("bom", true)
            case .badGzip: ("gzip", true)
            case .duplicateKeys: ("duplicate-keys", true)
            case .wrongType: ("wrong-type", true)
            case .nullForValues: ("null", true)
            case .deepNesting(let depth): ("deep", .int(depth))
            case .huge(let bytes): ("huge", .int(bytes))
            }
        return Self(kind: "corrupt", object: JSONObject([(name, value)]))
    }

    /// How a body is damaged.
    public enum Damage: Sendable, Hashable {
        /// Almost JSON, in the way of that name: `unclosed`, `trailing-comma`, `nan` and others, which a wrong name tells.
        case malformedJSON(String)
        /// Bytes inside the first text that are no UTF-8.
        case badUTF8
        /// A byte order mark in front.
        case byteOrderMark
        /// It says that it is compressed, and is not.
        case badGzip
        /// The first member of each object stands there twice, with different values.
        case duplicateKeys
        /// Texts for numbers and numbers for texts.
        case wrongType
        /// Null for every value.
        case nullForValues
        /// Arrays within arrays, so deep.
        case deepNesting(Int)
        /// White space behind the value, so that the body is so many bytes long.
        case huge(Int)
    }
}
