import BankCore
import BankModel

/// A request for an operation, made of what the bank's fixtures have.
struct SampleRequest {
    /// The values of the path's parameters.
    var path: [String: String] = [:]
    /// In the order in which they are sent.
    var query: [(name: String, value: String)] = []
    var headers: [(name: String, value: String)] = []
    /// Nil where the operation takes none.
    var body: JSON?
    /// The body is a form: its members are texts.
    var isForm = false
    /// The bank's own response; nil if the operation rejected the request.
    var response: BankResponse?

    /// A key that stands in examples.
    static let key = "3f0e7a52-4c1d-4b6e-9a00-5d2c8e1f7b10"

    /// The request as the core takes it.
    func request(_ operation: Operation, token: String?) -> BankRequest {
        var line: [String] = []
        for part in operation.path.parts {
            switch part {
            case .literal(let text): line.append(text)
            case .parameter(let name), .rest(let name): line.append(percentEncoded(path[name] ?? "example"))
            case .parameterWithSuffix(let name, let suffix): line.append(percentEncoded(path[name] ?? "example") + suffix)
            }
        }
        var sent = headers.map { JournalEntry.Header($0.name, $0.value) }
        if let token, operation.access != .open { sent.append(.init("Authorization", "Bearer \(token)")) }
        let query = formEncoded(query)
        return BankRequest(
            operation.method, "/" + line.joined(separator: "/"), query: query.isEmpty ? nil : query, headers: sent, body: bytes)
    }

    private var bytes: [UInt8] {
        guard let body else { return [] }
        guard isForm else { return body.bytes }
        return Array(formEncoded((body.object?.members ?? []).map { ($0.key, $0.value.plainText) }).utf8)
    }
}
