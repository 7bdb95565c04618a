package import BankModel

/// A bank with the values that all its sessions share: the router and the fixtures' indexes.
package final class PreparedBank: Sendable {
    package let bank: Bank
    package let router: RequestRouter
    let tables: [String: PreparedTable]
    /// For each operation, whether its response depends on nothing but the state, the path, the query and the customer.
    package let isRepeatable: [Bool]
    /// For each operation, the paging of its response; nil if the response has no pages.
    package let paging: [Paging?]
    /// The names of secret fields, including those of this bank alone.
    package let secretNames: SecretNames

    package init(_ bank: Bank) {
        self.bank = bank
        let asked = bank.askedFields
        tables = bank.tables.mapValues { PreparedTable($0, askedBy: asked[$0.name] ?? []) }
        router = RequestRouter(bank)
        isRepeatable = bank.operations.areRepeatable
        paging = bank.operations.map(\.paging)
        secretNames = SecretNames(own: bank.secretFields)
    }
}

extension Bank {
    /// The names of the fields and headers in which requests carry a password, a code, a token or a client's secret.
    fileprivate var secretFields: [String] {
        var sources = operations.compactMap(\.grant).flatMap(\.secrets)
        sources += operations.compactMap { $0.challenge?.code }
        var names = sources.compactMap(\.fieldName)
        if let signIn { names.append(signIn.name(.secret)) }
        switch auth?.location {
        case .header(let name)?, .query(let name)?: names.append(name)
        // Headers of these are hidden at every bank.
        case .bearer?, .basic?, .cookie?, nil: break
        }
        return names
    }
}

extension Operation.Grant {
    /// The sources of secrets in a request.
    fileprivate var secrets: [ValueSource] {
        switch self {
        case .password(_, let password, _): [password]
        case .refresh(let token, _), .revoke(let token): [token]
        case .code(let code, _, let verifier): [code, verifier]
        case .client: []
        }
    }
}

extension ValueSource {
    /// The name of the field that it reads; nil if it reads none.
    fileprivate var fieldName: String? {
        switch self {
        case .form(let name), .query(let name), .body(let name), .header(let name): name
        case .jsonPath(let path): path.source
        case .or(let first, _): first.fieldName
        default: nil
        }
    }
}
