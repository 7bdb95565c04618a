/// A lossless JSON value: numbers retain their digits, objects the order of their members.
///
/// Foundation's own types turn `12.00` into `12` and lose the order of keys; a stub bank must send a fixture exactly as
/// written, and a judge must compare amounts exactly. Grammar: RFC 8259.
public enum JSON: Sendable, Hashable {
    case null
    case bool(Bool)
    case number(JSONNumber)
    case string(String)
    case array([JSON])
    case object(JSONObject)
}

extension JSON {
    /// An object of the given members, in that order.
    public static func object(_ members: KeyValuePairs<String, JSON>) -> JSON {
        .object(JSONObject(members.map { (key: $0.key, value: $0.value) }))
    }

    /// An object of those of the given members that have a value, in that order.
    package static func object(known members: KeyValuePairs<String, JSON?>) -> JSON { .object(JSONObject(known: members)) }

    /// A whole number.
    public static func int(_ value: some BinaryInteger) -> JSON { .number(JSONNumber(value)) }

    /// A number in binary floating point, with the fewest digits that identify it: for probabilities and the like, never for money.
    ///
    /// JSON has no infinity and no NaN: they become texts, which a reader of numbers rejects.
    package static func double(_ value: Double) -> JSON { JSONNumber(String(value)).map(JSON.number) ?? .string(String(value)) }

    /// The text, if this is a string.
    public var string: String? { if case .string(let text) = self { text } else { nil } }

    /// Whether this is an array or an object.
    package var isContainer: Bool {
        switch self {
        case .array, .object: true
        case .null, .bool, .number, .string: false
        }
    }

    /// The number of bytes of its texts, names and digits.
    package var textBytes: Int {
        switch self {
        case .null, .bool: 0
        case .number(let number): number.digits.utf8.count
        case .string(let text): text.utf8.count
        case .array(let elements): elements.reduce(0) { $0 + $1.textBytes }
        case .object(let object): object.members.reduce(0) { $0 + $1.key.utf8.count + $1.value.textBytes }
        }
    }

    /// The truth value, if this is one.
    public var bool: Bool? { if case .bool(let value) = self { value } else { nil } }

    /// The number, if this is one.
    public var number: JSONNumber? { if case .number(let number) = self { number } else { nil } }

    /// The number as an integer, if it is one and fits 64 bits.
    public var int: Int64? { number?.int64 }

    /// The elements, if this is an array.
    public var array: [JSON]? { if case .array(let elements) = self { elements } else { nil } }

    /// The members, if this is an object.
    public var object: JSONObject? { if case .object(let object) = self { object } else { nil } }

    /// The member of that name; nil if this is not an object, or has no such member.
    public subscript(_ key: String) -> JSON? { object?[key] }

    /// The value at a dotted path such as `balance.amount`; nil if any step is missing.
    public func at(_ path: String) -> JSON? {
        if path.isEmpty { return self }
        guard case .object(let object) = self else { return nil }
        return object.at(path)
    }

    /// A scalar as plain text for comparison with a path or query; empty for null, arrays and objects.
    package var plainText: String {
        switch self {
        case .string(let text): text
        case .number(let number): number.digits
        case .bool(let value): String(value)
        case .null, .array, .object: ""
        }
    }

    /// The kind of this value in words: `an object`, `a number`.
    public var kindName: String {
        switch self {
        case .null: "null"
        case .bool: "a truth value"
        case .number: "a number"
        case .string: "a text"
        case .array: "an array"
        case .object: "an object"
        }
    }
}

extension JSON {
    /// The value, and every value in it, each before those inside it, in their order.
    package var flattened: [JSON] {
        switch self {
        case .null, .bool, .number, .string: [self]
        case .array(let elements): [self] + elements.flatMap(\.flattened)
        case .object(let object): [self] + object.members.flatMap { $0.value.flattened }
        }
    }

    /// The members of every object in it, each before those inside its value, in their order.
    ///
    /// - Parameter levels: how many arrays and objects within each other are looked into.
    package func allMembers(levels: Int = .max) -> [(key: String, value: JSON)] {
        guard levels > 0 else { return [] }
        switch self {
        case .null, .bool, .number, .string: return []
        case .array(let elements): return elements.flatMap { $0.allMembers(levels: levels - 1) }
        case .object(let object): return object.members.flatMap { [$0] + $0.value.allMembers(levels: levels - 1) }
        }
    }
}

extension String {
    /// The name of a member as a step of a JSON pointer (RFC 6901 §3).
    package var pointerStep: String { replacing("~", with: "~0").replacing("/", with: "~1") }

    /// The path of a member below this path, as JSONPath writes it: `$.rows.id`, `$['a b']`.
    package func jsonPath(of member: String) -> String {
        let isPlain = !member.isEmpty && member.utf8.allSatisfy { $0 == UInt8(ascii: "_") || $0.isLetter || $0.isDigit }
        return isPlain ? "\(self).\(member)" : "\(self)['\(member)']"
    }
}

extension JSON: ExpressibleByStringLiteral, ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral {
    public init(stringLiteral value: String) { self = .string(value) }
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    public init(arrayLiteral elements: JSON...) { self = .array(elements) }
}

extension JSON: ExpressibleByDictionaryLiteral, ExpressibleByIntegerLiteral {
    public init(dictionaryLiteral elements: (String, JSON)...) {
        self = .object(JSONObject(elements.map { (key: $0.0, value: $0.1) }))
    }

    public init(integerLiteral value: Int64) { self = .int(value) }
}

extension JSON {
    /// The value's canonical form: two texts have the same value if, and only if, their canonical forms are the same bytes.
    ///
    /// The order of members, white space and the choice of escapes are insignificant (RFC 8259 §4, §2, §7). Numbers are
    /// compared by value, with any number of digits (`10.0`, `10.00` and `1e1`; `-0` and `0`). Strings and names are compared
    /// by their Unicode scalars, without normalisation. The form depends on the value alone, so it is the same in each
    /// process; it is for comparison, not for sending.
    ///
    /// A number whose exponent does not fit 64 bits retains its text, and so equals only a number of the same text.
    package var canonical: [UInt8] {
        var out: [UInt8] = []
        out.reserveCapacity(256)
        writeCanonical(to: &out)
        return out
    }

    /// The canonical form of a body; the bytes themselves if they are not JSON, or an object has a duplicate name (RFC 8259 §4).
    package static func canonical(ofBody bytes: [UInt8]) -> [UInt8] { (try? JSON(parsing: bytes))?.canonical ?? bytes }

    /// Whether two bodies are equal: JSON by value, everything else byte for byte.
    package static func isSameBody(_ a: [UInt8], _ b: [UInt8]) -> Bool {
        if a == b { return true }
        guard let a = try? JSON(parsing: a), let b = try? JSON(parsing: b) else { return false }
        return a.canonical == b.canonical
    }

    private func writeCanonical(to out: inout [UInt8]) {
        switch self {
        case .null, .bool, .string: write(to: &out)
        case .number(let number): out += number.canonical.utf8
        case .array(let elements):
            out.append(UInt8(ascii: "["))
            for index in elements.indices {
                if index > 0 { out.append(UInt8(ascii: ",")) }
                elements[index].writeCanonical(to: &out)
            }
            out.append(UInt8(ascii: "]"))
        case .object(let object):
            // By bytes: Swift's own order of strings treats `é` in both its normalisations as one name.
            let members = object.members.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
            out.append(UInt8(ascii: "{"))
            for index in members.indices {
                if index > 0 { out.append(UInt8(ascii: ",")) }
                JSON.write(members[index].key, to: &out)
                out.append(UInt8(ascii: ":"))
                members[index].value.writeCanonical(to: &out)
            }
            out.append(UInt8(ascii: "}"))
        }
    }
}

extension JSONNumber {
    /// The value as digits without a zero at either end and a power of ten: `1e1` for `10.00`, `-5e-1` for `-0.5`, `0` for `-0`.
    ///
    /// The digits remain text, so that numbers of more than 128 bits are compared by value too.
    fileprivate var canonical: String {
        let mark = digits.utf8.firstIndex { $0 == UInt8(ascii: "e") || $0 == UInt8(ascii: "E") } ?? digits.utf8.endIndex
        var significand: [UInt8] = []
        var fraction = 0
        var isInFraction = false
        for byte in digits.utf8[..<mark] where byte != UInt8(ascii: "-") {
            if byte == UInt8(ascii: ".") {
                isInFraction = true
                continue
            }
            if isInFraction { fraction += 1 }
            if byte != UInt8(ascii: "0") || !significand.isEmpty { significand.append(byte) }
        }
        let zeros = significand.reversed().prefix { $0 == UInt8(ascii: "0") }.count
        significand.removeLast(zeros)
        guard !significand.isEmpty else { return "0" }
        guard let written = mark == digits.utf8.endIndex ? 0 : Int(digits[digits.utf8.index(after: mark)...]) else { return digits }
        let (exponent, overflow) = written.addingReportingOverflow(zeros - fraction)
        guard !overflow else { return digits }
        let sign = digits.utf8.first == UInt8(ascii: "-") ? "-" : ""
        return sign + String(decoding: significand, as: UTF8.self) + (exponent == 0 ? "" : "e\(exponent)")
    }
}
