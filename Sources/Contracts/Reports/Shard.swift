import BankModel

/// One part of a run that is divided among machines, such as `2/5`.
package struct Shard: Sendable, Hashable, CustomStringConvertible {
    /// How many parts there may be.
    package static let counts = 1...1000
    /// The form of its text, for messages.
    package static let expectedText = "a shard such as 2/5, of 1 to \(counts.upperBound)"

    /// From 1.
    package let number: Int
    /// How many parts there are.
    package let count: Int

    /// - Returns: nil if there is no such part, or too many parts.
    package init?(_ number: Int, of count: Int) {
        guard Shard.counts.contains(count), (1...count).contains(number) else { return nil }
        self.number = number
        self.count = count
    }

    /// Reads `2/5`.
    package init?(text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, parts.allSatisfy(\.isDigits),
            let number = Int(parts[0]), let count = Int(parts[1])
        else { return nil }
        self.init(number, of: count)
    }

    package var description: String { "\(number)/\(count)" }
}

/// A shard, and the run that it is a part of.
package struct RunPart: Sendable, Hashable {
    package var shard: Shard
    /// How many instances the whole run has, each repetition counted.
    package var total: Int
    /// A digest of which instances the whole run has, how often each runs and in which shard: 64 hexadecimal digits.
    package var cut: String

    package init(_ shard: Shard, total: Int, cut: String) {
        self.shard = shard
        self.total = total
        self.cut = cut
    }
}
