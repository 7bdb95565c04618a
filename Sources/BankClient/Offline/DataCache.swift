package import BankModel
import Crypto

/// Caches each customer's last good data for times when the bank is unavailable.
///
/// A cache only stores data; ``OfflineReader`` decides whether to show it.
package protocol DataCache: Sendable {
    /// The cached answer to that question; nil if there is none that can be read.
    func entry(_ question: String, of owner: String) -> CachedData?
    /// Stores the response, replacing an older one. A failure is reported to a user and otherwise ignored.
    func store(_ data: CachedData, as question: String, of owner: String)
    /// Removes the data of every other customer; nil removes everything.
    ///
    /// - Throws: ``StorageError`` if something remains.
    func removeAll(butOf owner: String?) throws(StorageError)
}

/// A response of the bank with the time it was received.
package struct CachedData: Sendable, Hashable {
    package var value: JSON
    /// By the device's clock.
    package var asOf: Instant

    package init(_ value: JSON, asOf: Instant) {
        self.value = value
        self.asOf = asOf
    }
}

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
