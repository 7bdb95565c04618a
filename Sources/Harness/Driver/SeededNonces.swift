import BankModel

/// Strings that a driver cannot guess, from a seed.
struct SeededNonces {
    private var generator: SeededGenerator

    init(seed: UInt64) { generator = SeededGenerator(seed: SeededGenerator.hash(seed, "nonces")) }

    mutating func next() -> String { "r" + String(generator.next(), radix: 36) }
}
