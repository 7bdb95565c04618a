import BankModel

/// The parts of a request that conditions examine; each is parsed on first use, and once.
struct RequestParts {
    private let request: BankRequest
    private let states: [String: String]
    private lazy var query = request.queryFields
    private lazy var form = request.form
    private lazy var json = try? request.json()

    /// - Parameter states: the session's.
    init(_ request: BankRequest, _ states: [String: String]) {
        self.request = request
        self.states = states
    }

    /// The value that the condition examines, the first of several; nil if there is none. A `?` without a query counts as
    /// none.
    mutating func value(_ condition: Condition, _ parameters: [String: String]) -> JSON? {
        let name = condition.name
        return switch condition.part {
        case .path: parameters[name].map(JSON.string)
        case .query: query[name].map(JSON.string)
        case .header: request.header(name).map(JSON.string)
        case .form: form[name].map(JSON.string)
        case .body: json?.at(name)
        case .state: states[name].map(JSON.string)
        case .rawPath: .string(request.path)
        case .url: .string(request.path + (request.query.map { "?\($0)" } ?? ""))
        case .rawQuery: request.query.flatMap { $0.isEmpty ? nil : .string($0) }
        case .queryNames: .array(query.names.sorted().map(JSON.string))
        case .json: json
        case .text: request.body.isEmpty ? nil : .string(String(decoding: request.body, as: UTF8.self))
        }
    }

    /// Whether the request satisfies the condition; of repeated fields and headers one must.
    mutating func fit(_ condition: Condition, _ parameters: [String: String]) -> Bool {
        let wanted = condition.wanted
        switch condition.part {
        case .query: return wanted.holds(query.values(condition.name).map(JSON.string))
        case .header: return wanted.holds(request.headerValues(condition.name).map(JSON.string))
        case .form: return wanted.holds(form.values(condition.name).map(JSON.string))
        case .text where wanted.isOfDocument && json?.isContainer == true: return wanted.holds(json)
        case .path, .body, .state, .rawPath, .url, .rawQuery, .queryNames, .json, .text: return wanted.holds(value(condition, parameters))
        }
    }
}

/// Parses a Structured Field string (RFC 8941 §3.3.3), such as `"8e03"`: nil for any other text, or more than one string.
///
/// The quotes enclose printable ASCII characters; `"` and `\` are escaped by a backslash, and nothing else is. Parameters
/// after it are not part of the string.
package func structuredString(_ text: String) -> String? {
    var rest = Array(text.utf8)[...]
    guard rest.popFirst() == UInt8(ascii: "\"") else { return nil }
    var value: [UInt8] = []
    while let byte = rest.popFirst() {
        switch byte {
        case UInt8(ascii: "\""): return rest.isEmpty ? String(decoding: value, as: UTF8.self) : nil
        case UInt8(ascii: "\\"):
            guard let escaped = rest.popFirst(), escaped == UInt8(ascii: "\"") || escaped == UInt8(ascii: "\\") else { return nil }
            value.append(escaped)
        case 0x20...0x7E: value.append(byte)
        default: return nil
        }
    }
    return nil
}

/// The text as a Structured Field string (RFC 8941 §4.1.6); characters that it cannot have are replaced by `?`.
func structuredString(of text: String) -> String {
    let inner = text.unicodeScalars.map { character in
        switch character {
        case "\"", "\\": "\\\(character)"
        case " "..."~": "\(character)"
        default: "?"
        }
    }
    return "\"\(inner.joined())\""
}
