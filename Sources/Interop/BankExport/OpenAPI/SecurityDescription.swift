import BankCore
import BankModel

/// How a bank's callers prove who they are, as OpenAPI says it.
struct SecurityDescription {
    let bank: Bank
    /// Put before the paths of token endpoints.
    let server: String

    /// The document's `securitySchemes`; nil for a bank without tokens.
    var schemes: JSON? {
        guard let auth = bank.auth else { return nil }
        var schemes = JSONObject()
        if let login = tokenPath(where: { if case .password = $0 { true } else { false } }) {
            var flow = JSONObject([("tokenUrl", .string(server + login))])
            if let refresh = tokenPath(where: { if case .refresh = $0 { true } else { false } }) {
                flow["refreshUrl"] = .string(server + refresh)
            }
            flow["scopes"] = .object(JSONObject(auth.scopes.map { (key: $0, value: .string("The scope \($0).")) }))
            schemes["oauth2"] = ["type": "oauth2", "flows": ["password": .object(flow)]]
        }
        schemes["bearer"] = ["type": "http", "scheme": "bearer"]
        return .object(schemes)
    }

    /// The security requirements of an operation, any of which is enough; empty for an open one.
    func requirements(_ operation: Operation) -> JSON {
        guard case .token(let scope) = operation.access, bank.auth != nil else { return [] }
        let scopes = JSON.array([scope].compactMap(\.self).map(JSON.string))
        let bearer: JSON = ["bearer": scopes]
        return schemes?["oauth2"] == nil ? .array([bearer]) : .array([["oauth2": scopes], bearer])
    }

    /// The token endpoint of OAuth (RFC 6749 §3.2), which takes a form; nil where the bank has none.
    private func tokenPath(where fits: (Operation.Grant) -> Bool) -> String? {
        bank.operations.first { $0.body?.form == .form && $0.grant.map(fits) == true }.map { $0.path.description }
    }
}
