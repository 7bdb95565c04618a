import BankModel

/// One way in which a body is damaged.
enum Damage: Sendable, Hashable {
    /// Text that is almost JSON.
    case json(JSONDamage)
    /// A byte sequence that is not UTF-8, inside the first string (RFC 8259 §8.1).
    case utf8
    /// A byte order mark at the start (RFC 8259 §8.1).
    case bom
    /// It is marked as compressed, but is not.
    case gzip
    /// The first member of each object occurs twice, with different values.
    case duplicateKeys
    /// Strings for numbers and numbers for strings.
    case wrongType
    /// Null for every value.
    case null
    /// Arrays nested to that depth.
    case deep(Int)
    /// White space after the value, up to the given number of bytes.
    case huge(Int)

    /// One key for each way.
    static let fields: [Field<Damage>] = [
        Field("json", textClass(), "text that is almost JSON, of this class"),
        Field("utf8", plain(.utf8), "bytes that are not UTF-8, inside the first text"),
        Field("bom", plain(.bom), "a byte order mark in front of the body"),
        Field("gzip", plain(.gzip), "the body is labelled as compressed, but is not"),
        Field("duplicate-keys", plain(.duplicateKeys), "the first member of each object is sent twice"),
        Field("wrong-type", plain(.wrongType), "texts for numbers and numbers for texts"),
        Field("null", plain(.null), "null for every value"),
        Field("deep", sized(Damage.deep, standard: 100_000, most: 1_000_000), "nested arrays of this depth; `true` for 100,000"),
        Field(
            "huge", sized(Damage.huge, standard: 16 << 20, most: 256 << 20),
            "white space after the value, up to this many bytes; `true` for 16 MiB"),
    ]

    private static func textClass() -> Format<Damage> {
        let format = Format<JSONDamage>.choice(of: JSONDamage.self)
        return Format(format.schema, read: { format.read($0, $1).map(Damage.json) })
    }

    /// A way without a setting: nothing, or true.
    private static func plain(_ damage: Damage) -> Format<Damage> {
        Format(
            .anyOf([.nothing, .words(["true"])]),
            read: { $0.isNull || $0.scalar == "true" ? damage : $0.wrong($1, "nothing, or true") })
    }

    /// A way with a size, which nothing and true leave at its usual value.
    private static func sized(_ damage: @escaping @Sendable (Int) -> Damage, standard: Int, most: Int) -> Format<Damage> {
        Format(
            .anyOf([.nothing, .words(["true"]), .integer(1...most)]),
            read: { node, complaints in
                node.isNull || node.scalar == "true" ? damage(standard) : node.int(in: 1...most, complaints).map(damage)
            })
    }

    /// The damaged body.
    ///
    /// - Throws: ``NotApplied`` if the damage needs JSON and the body is not JSON.
    func apply(to body: [UInt8]) throws(NotApplied) -> [UInt8] {
        switch self {
        case .json(let damage): return try damage.apply(to: body)
        case .utf8:
            // 0xC3 begins a character of two bytes, which 0x28 does not continue.
            let position = body.firstIndex(of: UInt8(ascii: "\"")).map { $0 + 1 } ?? 0
            return Array(body[..<position]) + [0xC3, 0x28] + body[position...]
        case .bom: return [0xEF, 0xBB, 0xBF] + body
        case .gzip: return body
        case .duplicateKeys: return try parsed(body).duplicated
        case .wrongType: return try parsed(body).mappingLeaves(\.ofWrongType).bytes
        case .null: return try parsed(body).mappingLeaves { _ in .null }.bytes
        case .deep(let depth):
            return [UInt8](repeating: UInt8(ascii: "["), count: depth) + [UInt8](repeating: UInt8(ascii: "]"), count: depth)
        case .huge(let bytes): return body + [UInt8](repeating: 0x20, count: max(0, bytes - body.count))
        }
    }

    /// As it is written.
    var member: (String, JSON) {
        switch self {
        case .json(let damage): ("json", .string(damage.rawValue))
        case .utf8: ("utf8", true)
        case .bom: ("bom", true)
        case .gzip: ("gzip", true)
        case .duplicateKeys: ("duplicate-keys", true)
        case .wrongType: ("wrong-type", true)
        case .null: ("null", true)
        case .deep(let depth): ("deep", .int(depth))
        case .huge(let bytes): ("huge", .int(bytes))
        }
    }
}

/// The body as JSON.
///
/// - Throws: ``NotApplied`` if it is not JSON.
func parsed(_ body: [UInt8]) throws(NotApplied) -> JSON {
    do { return try JSON(parsing: body) } catch { throw NotApplied("the body is not JSON, which this damage needs") }
}

extension JSON {
    /// Every value that is neither an object nor an array replaced.
    fileprivate func mappingLeaves(_ change: (JSON) -> JSON) -> JSON {
        switch self {
        case .object(let object): .object(JSONObject(object.members.map { (key: $0.key, value: $0.value.mappingLeaves(change)) }))
        case .array(let elements): .array(elements.map { $0.mappingLeaves(change) })
        default: change(self)
        }
    }

    fileprivate var ofWrongType: JSON {
        switch self {
        case .number(let number): .string(number.digits)
        case .string: 1
        default: "true"
        }
    }

    /// Another value of the same kind: a parser that takes the second of two members reads it as well.
    fileprivate var another: JSON {
        switch self {
        case .number: self == 1 ? 2 : 1
        case .string(let text): .string(text + " (2)")
        case .bool(let value): .bool(!value)
        default: self
        }
    }

    /// The text with the first member of each object twice: no value can express that.
    fileprivate var duplicated: [UInt8] {
        switch self {
        case .object(let object):
            var members = object.members.map { JSON.string($0.key).bytes + [UInt8(ascii: ":")] + $0.value.duplicated }
            if let first = object.members.first {
                members.append(JSON.string(first.key).bytes + [UInt8(ascii: ":")] + first.value.mappingLeaves(\.another).bytes)
            }
            return [UInt8(ascii: "{")] + members.joined(separator: [UInt8(ascii: ",")]) + [UInt8(ascii: "}")]
        case .array(let elements):
            return [UInt8(ascii: "[")] + elements.map(\.duplicated).joined(separator: [UInt8(ascii: ",")]) + [UInt8(ascii: "]")]
        default: return bytes
        }
    }
}
