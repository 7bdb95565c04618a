package import BankModel

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
