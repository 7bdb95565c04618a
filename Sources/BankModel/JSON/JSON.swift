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

    /// A whole number.
    public static func int(_ value: some BinaryInteger) -> JSON { .number(JSONNumber(value)) }

    /// The text, if this is a string.
    public var string: String? { if case .string(let text) = self { text } else { nil } }

    /// Whether this is an array or an object.
    package var isContainer: Bool {
        switch self {
        case .array, .object: true
        case .null, .bool, .number, .string: false
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
