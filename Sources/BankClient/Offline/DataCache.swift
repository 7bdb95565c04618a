public import BankModel

/// Where the last good data of each customer lies, for times when the bank cannot be had.
///
/// Nothing here decides whether old data is shown: ``OfflineReader`` does.
public protocol DataCache: Sendable {
    /// What was last kept as the answer to that question; nil if there is nothing that can be read.
    func entry(_ question: String, of owner: String) -> CachedData?
    /// Keeps the answer in place of an older one. What cannot be kept is told to a person and otherwise no matter.
    func keep(_ data: CachedData, as question: String, of owner: String)
    /// Removes what belongs to anybody else; nil removes everything.
    ///
    /// - Throws: ``StoreError`` if something is still there.
    func removeAll(butOf owner: String?) throws(StoreError)
}

/// An answer of the bank, and when it came.
public struct CachedData: Sendable, Hashable {
    public var value: JSON
    /// By the device's clock.
    public var asOf: Instant

    public init(_ value: JSON, asOf: Instant) {
        self.value = value
        self.asOf = asOf
    }
}
