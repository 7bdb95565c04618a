import BankCore
import BankModel

/// How a bank's callers prove who they are, as OpenAPI describes it.
struct SecurityDescription {
    let bank: Bank
    /// Put before the paths of token endpoints.
    let server: String

    /// The document's `securitySchemes`; nil for a bank without tokens.
    var schemes: JSON? {
        guard let auth = bank.auth else { return nil }
        var schemes = JSONObject()
        let refresh = tokenPath { if case .refresh = $0 { true } else { false } }
        let page = bank.operations.first { $0.signIn == .page }.map { JSON.string(server + $0.path.description) }
        func flow(_ scopes: [String], _ fits: (Operation.Grant) -> Bool, page: JSON? = nil) -> JSON? {
            guard let token = tokenPath(where: fits) else { return nil }
            var flow = JSONObject()
            flow["authorizationUrl"] = page
            flow["tokenUrl"] = .string(server + token)
            flow["refreshUrl"] = refresh.map { .string(server + $0) }
            flow["scopes"] = .object(JSONObject(scopes.map { (key: $0, value: .string("The scope \($0).")) }))
            return .object(flow)
        }
        var flows = JSONObject()
        flows["password"] = flow(auth.scopes, { if case .password = $0 { true } else { false } })
        if let page {
            let scopes = auth.scopes + (bank.signIn?.scopes ?? [])
            flows["authorizationCode"] = flow(scopes, { if case .code = $0 { true } else { false } }, page: page)
        }
        flows["clientCredentials"] = flow(auth.scopes, { if case .client = $0 { true } else { false } })
        if !flows.members.isEmpty { schemes["oauth2"] = ["type": "oauth2", "flows": .object(flows)] }
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
