import BankModel

/// The parts of a request that conditions examine; each is parsed on first use, and once.
struct RequestParts {
    private let request: BankRequest
    private lazy var query = FormFields(request.query ?? "")
    private lazy var form = request.form
    private lazy var json = try? request.json()

    init(_ request: BankRequest) { self.request = request }

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
        case .rawQuery: request.query.flatMap { $0.isEmpty ? nil : .string($0) }
        case .queryNames: .array(query.names.sorted().map(JSON.string))
        case .json: json
        case .text: request.body.isEmpty ? nil : .string(String(decoding: request.body, as: UTF8.self))
        }
    }

    /// Whether the request satisfies the condition; of repeated fields and headers one must.
    mutating func fit(_ condition: Condition, _ parameters: [String: String]) -> Bool {
        let first = value(condition, parameters)
        if condition.wanted.holds(first) { return true }
        guard first != nil else { return false }
        let others: [String] =
            switch condition.part {
            case .query: query.all(condition.name)
            case .header: request.headerValues(condition.name)
            case .form: form.all(condition.name)
            case .path, .body, .rawQuery, .queryNames, .json, .text: []
            }
        return others.dropFirst().contains { condition.wanted.holds(.string($0)) }
    }
}
