/// Counts the requests of one intent, as the bank can see it: the same key, or else the same operation and body.
struct AttemptCounter: Sendable {
    private var keyed: [ID: Int] = [:]
    /// Requests without key and body, per operation's place: the usual reads, counted without hashing.
    private var bare: [Int] = []

    private struct ID: Hashable {
        let operation: Int
        let key: String?
        let body: [UInt8]
    }

    /// Counts a request and says its number, from 1.
    mutating func count(operation: Int, key: String?, body: [UInt8]) -> Int {
        if key == nil, body.isEmpty {
            while bare.count <= operation { bare.append(0) }
            bare[operation] += 1
            return bare[operation]
        }
        let id = ID(operation: operation, key: key, body: key == nil ? body : [])
        keyed[id, default: 0] += 1
        return keyed[id, default: 0]
    }
}
