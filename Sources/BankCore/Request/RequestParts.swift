import BankModel

/// What conditions look at; each part of the request is read when it is first asked for, and once.
struct RequestParts {
    private let request: BankRequest
    private lazy var query = FormFields(request.query ?? "")
    private lazy var form = request.form
    private lazy var json = try? request.json()

    init(_ request: BankRequest) { self.request = request }

    /// The value where the condition looks, the first of several; nil if there is none. A `?` without a query behind it is nothing.
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

    /// Whether the request has what the condition wants; of fields and headers that come more than once, whether one of them is it.
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
