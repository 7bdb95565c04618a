import BankModel
import Testing

@testable import BankGenerator

@Suite struct DiceTests {
    /// SplitMix64's draws times the bound, high half, computed by another implementation (in Python).
    @Test func `the draws are the same everywhere`() {
        var dice = Dice(7, for: "test")

        #expect((0..<6).map { _ in dice.below(100) } == [25, 89, 17, 58, 2, 1])
    }

    @Test func `purposes draw apart`() {
        var a = Dice(7, for: "a")
        var b = Dice(7, for: "b")

        #expect((0..<8).map { _ in a.below(1000) } != (0..<8).map { _ in b.below(1000) })
    }

    @Test func `every number of a range comes and no other`() {
        var dice = Dice(1, for: "range")

        let drawn = Set((0..<1000).map { _ in dice.within(-2...2) })

        #expect(drawn == [-2, -1, 0, 1, 2])
    }

    @Test func `a shuffle keeps all`() {
        var dice = Dice(1, for: "shuffle")

        let shuffled = dice.shuffled(Array(0..<50))

        #expect(shuffled != Array(0..<50))
        #expect(shuffled.sorted() == Array(0..<50))
    }

    @Test(arguments: [0, -1, 10_000_001]) func `rows beyond the limits are rejected`(_ rows: Int) {
        #expect(throws: BankSpecError.rows(rows)) { try BankSpec(name: "b", rows: rows, seed: 7) }
    }
}
