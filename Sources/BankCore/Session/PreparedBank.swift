package import BankModel

/// A bank with what all its sessions share: the router and the fixtures' indexes.
package final class PreparedBank: Sendable {
    package let bank: Bank
    package let router: RequestRouter
    let tables: [String: PreparedTable]
    /// For each operation, whether its reply depends on nothing but the state, the path, the query and the customer.
    package let isRepeatable: [Bool]
    /// For each operation, the query parameter that names a page; nil where the reply has no pages.
    package let pageParameter: [String?]
    /// Fields whose values are secrets, those among them that only this bank calls so.
    package let secretNames: SecretNames

    package init(_ bank: Bank) {
        self.bank = bank
        tables = bank.tables.mapValues(PreparedTable.init)
        router = RequestRouter(bank, tables)
        isRepeatable = bank.operations.areRepeatable
        pageParameter = bank.operations.map { $0.paging?.cursor }
        secretNames = SecretNames(own: bank.operations.compactMap(\.grant).compactMap(\.secret.fieldName))
    }
}

extension Operation.Grant {
    /// Where a request has what nobody else may know.
    fileprivate var secret: ValueSource {
        switch self {
        case .password(_, let password, _): password
        case .refresh(let token, _), .revoke(let token): token
        }
    }
}

extension ValueSource {
    /// The name of the field that it reads; nil if it reads none.
    fileprivate var fieldName: String? {
        switch self {
        case .form(let name), .query(let name), .body(let name), .header(let name): name
        case .or(let first, _): first.fieldName
        default: nil
        }
    }
}

extension JSON {
    /// A scalar as plain text for comparing with a path or query; empty for null, arrays and objects.
    package var plainText: String {
        switch self {
        case .string(let text): text
        case .number(let number): number.digits
        case .bool(let value): String(value)
        case .null, .array, .object: ""
        }
    }
}
