import BankModel

/// Draws from a seed: the same draws on every machine and in every version of Swift, which the standard library's
/// `random(in:using:)` does not guarantee.
struct Dice {
    private var generator: SeededGenerator

    /// Separate dice for each purpose, so that one purpose's draws do not shift another's.
    init(_ seed: UInt64, for purpose: String) { generator = SeededGenerator(seed: SeededGenerator.hash(seed, purpose)) }

    /// A number from 0 up to, not including, the bound, which must be positive (Lemire 2019, without the rejection: its
    /// bias is below 2^-40 for any bound used here).
    mutating func below(_ bound: Int) -> Int { Int(generator.next().multipliedFullWidth(by: UInt64(bound)).high) }

    /// A number of the range, both ends included.
    mutating func within(_ range: ClosedRange<Int>) -> Int { range.lowerBound + below(range.count) }

    /// A number of the range, the low ones more often: the lower of two draws.
    mutating func low(in range: ClosedRange<Int>) -> Int { min(within(range), within(range)) }

    /// True with the probability `perMille`/1000.
    mutating func chance(perMille: Int) -> Bool { below(1000) < perMille }

    /// One of the list, which must not be empty.
    mutating func pick<Element>(_ list: [Element]) -> Element { list[below(list.count)] }

    /// The list in another order (Fisher and Yates).
    mutating func shuffled<Element>(_ list: [Element]) -> [Element] {
        var list = list
        for index in stride(from: list.count - 1, to: 0, by: -1) { list.swapAt(index, below(index + 1)) }
        return list
    }
}
