import BankModel
import Crypto

/// A pseudonym for a customer, which does not reveal who it is.
enum Owner {
    /// The prefix of a pseudonym that is derived from a token.
    private static let unnamed = "?"

    /// The pseudonym of a customer whose name is known: 64 hexadecimal digits.
    ///
    /// - Parameter customer: the name by which they sign in, or by which the app knows them.
    static func named(_ customer: String, of bank: ClientParts) -> String { digest(customer, bank) }

    /// The pseudonym of a customer whose token alone is known. Two tokens may belong to two customers, or to one.
    static func unnamed(token: String, of bank: ClientParts) -> String { unnamed + digest(token, bank) }

    /// False if two different pseudonyms may be one customer.
    static func isNamed(_ owner: String) -> Bool { !owner.isEmpty && !owner.hasPrefix(unnamed) }

    /// As ``unnamed(token:of:)``, for a token that a store returned without its owner.
    static func unnamed(token: String) -> String { unnamed + hexadecimal(Array(SHA256.hash(data: Array(token.utf8)))) }

    private static func digest(_ identity: String, _ bank: ClientParts) -> String {
        let text = "\(bank.adapter.name)\0\(bank.caller.baseURL)\0\(identity)"
        return hexadecimal(Array(SHA256.hash(data: Array(text.utf8))))
    }
}

extension Token {
    /// The customer whose payments may be sent with this token.
    var customer: String { owner ?? Owner.unnamed(token: access) }
}
