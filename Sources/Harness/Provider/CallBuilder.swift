import BankClient
import BankCore
import BankModel

/// Makes the request for an operation out of what its definition says where each value goes.
struct CallBuilder {
    private let operation: Operation
    private var parameters: [String: String]
    private var query: [(name: String, value: String)] = []
    private var headers: [JournalEntry.Header] = [JournalEntry.Header("Accept", "application/json")]
    private var form: [(name: String, value: String)] = []
    private var json = JSONObject()

    /// - Throws: ``UnfillableCall`` if the operation is told from others by something that cannot be made up.
    init(_ operation: Operation, parameters: [String: String] = [:]) throws(UnfillableCall) {
        (self.operation, self.parameters) = (operation, parameters)
        for condition in operation.when {
            guard let value = condition.wanted.example else { continue }
            let source: ValueSource? =
                switch condition.part {
                case .path: .path(condition.name)
                case .query: .query(condition.name)
                case .header: .header(condition.name)
                case .form: .form(condition.name)
                case .body: .body(condition.name)
                case .rawQuery, .json, .text: nil
                }
            guard let source, condition.wanted.holds(value) else {
                throw UnfillableCall(what: "the whole of its \(condition.part.rawValue)")
            }
            if case .path(let name) = source, let own = parameters[name], own != value.plainText {
                throw UnfillableCall(what: "the value of its `\(name)` that the bank's files name")
            }
            try put(value, at: source)
        }
    }

    /// Puts a value where the operation looks for it.
    mutating func put(_ value: JSON, at source: ValueSource) throws(UnfillableCall) {
        let text = value.plainText
        switch source {
        case .literal: break
        case .path(let name): parameters[name] = text
        case .query(let name):
            query.removeAll { $0.name == name }
            query.append((name, text))
        case .header(let name): headers.append(JournalEntry.Header(name, text))
        case .form(let name):
            form.removeAll { $0.name == name }
            form.append((name, text))
        case .body(let path): json.set(value, at: path)
        case .or(let first, _): try put(value, at: first)
        default: throw UnfillableCall(what: "a value that no request holds")
        }
    }

    /// Goes with that token.
    mutating func authorise(_ token: String) { headers.append(JournalEntry.Header("Authorization", "Bearer \(token)")) }

    /// The request.
    ///
    /// - Throws: ``UnfillableCall`` naming what the operation wants and nobody has put there.
    func request() throws(UnfillableCall) -> BankRequest {
        var path = ""
        for part in operation.path.parts {
            switch part {
            case .literal(let text): path += "/" + Percent.encode(text)
            case .parameter(let name): path += "/" + Percent.encode(try parameter(name))
            case .parameterWithSuffix(let name, let suffix): path += "/" + Percent.encode(try parameter(name) + suffix)
            }
        }
        for field in operation.body?.required ?? [] {
            let isThere = operation.body?.form == .form ? form.contains { $0.name == field } : JSON.object(json).at(field) != nil
            if !isThere { throw UnfillableCall(what: "`\(field)` in the body") }
        }
        var (headers, body) = (headers, [UInt8]())
        if !form.isEmpty {
            headers.append(JournalEntry.Header("Content-Type", "application/x-www-form-urlencoded"))
            body = Array(CallBuilder.encoded(form).utf8)
        } else if !json.members.isEmpty {
            headers.append(JournalEntry.Header("Content-Type", "application/json"))
            body = Array(JSON.object(json).text.utf8)
        }
        let query = query.isEmpty ? nil : CallBuilder.encoded(query)
        return BankRequest(operation.method, path, query: query, headers: headers, body: body)
    }

    private func parameter(_ name: String) throws(UnfillableCall) -> String {
        guard let value = parameters[name] else { throw UnfillableCall(what: "`\(name)` in the path") }
        return value
    }

    private static func encoded(_ fields: [(name: String, value: String)]) -> String {
        fields.map { "\(Percent.encode($0.name))=\(Percent.encode($0.value))" }.joined(separator: "&")
    }
}

/// Something that an operation wants and that nobody has given.
struct UnfillableCall: Error, CustomStringConvertible {
    let what: String

    var description: String { "it wants \(what), which verify cannot fill in" }
}

extension Condition.Wanted {
    /// A value that holds; nil where nothing must stand there.
    fileprivate var example: JSON? {
        switch self {
        case .absent: nil
        case .value(let value): value
        case .like(let patterns): .string(patterns.joined().filter { $0 != "*" })
        }
    }
}
