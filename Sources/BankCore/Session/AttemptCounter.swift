/// Counts the requests of one intent, as far as the bank can recognise it: the same key, or else the same operation and body.
struct AttemptCounter: Sendable {
    /// By a hash of operation and key, or body: these come from outside, and none is stored only for being counted.
    private var keyed: [Int: Int] = [:]
    /// Requests without key and body, by the operation's index: the usual reads, counted without hashing.
    private var bare: [Int] = []

    /// The largest number of intents; counting begins again after it.
    private static let largestCount = 100_000

    /// Counts a request and returns its number, from 1.
    mutating func count(operation: Int, key: String?, body: [UInt8]) -> Int {
        if key == nil, body.isEmpty {
            while bare.count <= operation { bare.append(0) }
            bare[operation] += 1
            return bare[operation]
        }
        if keyed.count >= AttemptCounter.largestCount { keyed = [:] }
        var hasher = Hasher()
        hasher.combine(operation)
        if let key { hasher.combine(key) } else { hasher.combine(body) }
        return AttemptCounter.countUp(&keyed[hasher.finalize(), default: 0])
    }

    /// Increments with one look-up.
    private static func countUp(_ count: inout Int) -> Int {
        count += 1
        return count
    }
}
