import BankModel
import Crypto

/// Whose something is: a name for a customer that tells nobody who it is.
enum Owner {
    /// Stands before the name of a customer of whom only a token is known.
    private static let unnamed = "?"

    /// The name of a customer whose own name is known: 64 hexadecimal digits.
    ///
    /// - Parameter customer: the name by which they sign in, or by which the app knows them.
    static func named(_ customer: String, of bank: ClientParts) -> String { digest(customer, bank) }

    /// The name of a customer of whom only a token is known. Two tokens may be two customers, or one.
    static func unnamed(token: String, of bank: ClientParts) -> String { unnamed + digest(token, bank) }

    /// False if two different names may be one customer.
    static func isNamed(_ owner: String) -> Bool { !owner.isEmpty && !owner.hasPrefix(unnamed) }

    /// As ``unnamed(token:of:)`` for a token that a store gave back without its owner.
    static func unnamed(token: String) -> String { unnamed + hexadecimal(Array(SHA256.hash(data: Array(token.utf8)))) }

    private static func digest(_ identity: String, _ bank: ClientParts) -> String {
        let text = "\(bank.adapter.name)\0\(bank.caller.baseURL)\0\(identity)"
        return hexadecimal(Array(SHA256.hash(data: Array(text.utf8))))
    }
}

extension Token {
    /// Whose wishes may go with this token.
    var customer: String { owner ?? Owner.unnamed(token: access) }
}
