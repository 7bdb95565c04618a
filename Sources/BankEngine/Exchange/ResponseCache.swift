import BankCore
import BankModel

/// The bank's responses to reads that depend on its state alone, for one revision of the state: polling renders each only once.
struct ResponseCache {
    /// The parts of a request on which such a response depends.
    struct Key: Hashable {
        /// The operation's index among the bank's operations.
        let operation: Int
        /// As sent, query included.
        let target: String
        /// With the consent, if it limits what the customer's token shows; empty for nobody.
        let customer: String
    }

    private var responses: [Key: BankResponse] = [:]
    private var revision = 0
    private(set) var bytes = 0

    private static let largestCount = 2048
    private static let largestBytes = 8 << 20

    func response(_ key: Key, revision: Int) -> BankResponse? { revision == self.revision ? responses[key] : nil }

    /// Stores a response of that revision; drops those of another, and all if the cache is full.
    mutating func keep(_ response: BankResponse, under key: Key, revision: Int) {
        if revision != self.revision { removeAll() }
        self.revision = revision
        let size = response.body.count + key.target.utf8.count + 256
        guard size < ResponseCache.largestBytes / 4 else { return }
        if responses.count >= ResponseCache.largestCount || bytes + size > ResponseCache.largestBytes { removeAll() }
        if responses.updateValue(response, forKey: key) == nil { bytes += size }
    }

    mutating func removeAll() {
        responses.removeAll()
        bytes = 0
    }
}
