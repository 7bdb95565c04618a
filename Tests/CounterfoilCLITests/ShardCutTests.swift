import ArgumentParser
import BankModel
import Contracts
import Foundation
import Testing

@testable import CounterfoilCLI

/// The division of a run among machines, and the options for it.
@Suite struct ShardCutTests {
    private let names = (0..<200).map { "suite\($0 % 7).case\($0)@toy" }

    private func cut(_ text: String, _ names: [String], _ durations: [String: Int64] = [:]) throws -> ShardCut {
        ShardCut(names, try #require(Shard(text: text)), durations: durations)
    }

    @Test func `the shard of a name is that of its SHA-256, whatever else is run`() throws {
        #expect(ShardCut.number(of: "auth.no-empty-bearer@roundup[by=close]", among: 5) == 2)
        #expect(ShardCut.number(of: "pay.reply-lost-after-commit@bins", among: 5) == 2)
        let all = try cut("1/5", names)
        let some = try cut("1/5", Array(names.suffix(50)))

        #expect(Set(all.numbers) == [1, 2, 3, 4, 5])
        #expect(Array(all.numbers.suffix(50)) == some.numbers)
        #expect(try cut("1/1", names).numbers.allSatisfy { $0 == 1 })
    }

    @Test func `by durations all shards take about as long, and every machine comes to the same`() throws {
        let durations = Dictionary(uniqueKeysWithValues: names.enumerated().map { ($1, Int64($0 * $0 % 977)) })

        let even = try cut("1/4", names, durations)
        let again = try cut("3/4", names.reversed(), durations)

        let loads = (1...4).map { shard in zip(names, even.numbers).filter { $1 == shard }.reduce(0) { $0 + max(1, durations[$1.0] ?? 0) } }
        #expect((loads.max() ?? 0) - (loads.min() ?? 0) <= 50)
        #expect(again.numbers.reversed() == even.numbers)
    }

    @Test func `an instance that the earlier run did not have counts as the average, and one of no millisecond as one`() throws {
        #expect(try cut("1/2", ["a", "b", "c", "d"], ["a": 90, "b": 10]).numbers == [1, 1, 2, 2])
        #expect(try cut("1/2", ["a", "b", "c", "d"], ["a": 0, "b": 0, "c": 0, "d": 0]).numbers == [1, 2, 1, 2])
    }

    @Test func `the parts of one run have one cut; another selection, division or repetition has another`() throws {
        let part = try cut("1/5", names).part(repetitions: 2)

        #expect(part.total == 400)
        #expect(part.cut.count == 64)
        #expect(try cut("4/5", names).part(repetitions: 2).cut == part.cut)
        #expect(try cut("1/5", names).part(repetitions: 1).cut != part.cut)
        #expect(try cut("1/4", names).part(repetitions: 2).cut != part.cut)
        #expect(try cut("1/5", names.dropLast()).part(repetitions: 2).cut != part.cut)
        #expect(try cut("1/5", names, [names[0]: 9]).part(repetitions: 2).cut != part.cut)
    }

    // MARK: options

    private func choice(_ words: [String], _ loaded: LoadedContracts) throws -> TestChoice {
        try TestChoice(
            loaded, banks: [], filters: ["data", "errors"], try ChoiceOptions.parse(words),
            memory: LastFailed(home: "/nowhere", contracts: "c"))
    }

    @Test func `the shards of a selection are the selection, each instance once`() throws {
        let loaded = LoadedContracts.bins
        let all = try choice([], loaded)

        let parts = try (1...3).map { try choice(["--shard", "\($0)/3"], loaded) }

        #expect(parts.flatMap { $0.instances.map(\.name) }.sorted() == all.instances.map(\.name).sorted())
        #expect(parts.allSatisfy { !$0.instances.isEmpty && $0.instances.count < all.instances.count })
        #expect(all.cut == nil)
        #expect(loaded.digest.count == 64)
    }

    @Test func `durations are those of the report; a report of something else is rejected`() throws {
        let result = { (name: String, duration: Int64) in
            var result = ReportDocument.Result(
                check: "toy.a", suite: "toy", bank: "toy", why: "w", verdict: .pass, reasons: [], timeline: [], again: "a")
            result.name = name
            result.duration = duration
            return result
        }
        let report = FiledReport(
            "last.json",
            ReportDocument(
                checksOf: "c", command: "c", duration: 1, trouble: nil, results: [result("a", 10), result("a", 20), result("z", 5)]))

        #expect(try ShardCut.durations(report, of: ["a", "b"]) == ["a": 15])
        #expect(try ShardCut.durations(report, of: []).isEmpty)
        let error = #expect(throws: ComplaintsError.self) { try ShardCut.durations(report, of: ["b"]) }
        #expect(error?.description.contains("last.json: found no result of the 1 chosen instance, expected the report") == true)
        let missing = #expect(throws: ComplaintsError.self) { try choice(["--shard", "1/2", "--durations", "/nowhere.json"], .bins) }
        #expect(missing?.description.contains("/nowhere.json: found no file, expected a report") == true)
    }

    @Test(
        arguments: [
            (["--shard", "6/5", "--seed", "1"], "found --shard 6/5, expected a shard such as 2/5"),
            (["--shard", "2/5"], "found --shard without --seed"), (["--durations", "a.json"], "found --durations without --shard"),
            (["--shard", "2/5", "--seed", "1", "--require", "pay"], "found --require with --shard, expected it with"),
            (["--shard", "2/5", "--seed", "1", "--max-unsupported", "1"], "found --max-unsupported with --shard"),
            (["--shard", "2/5", "--seed", "1", "--max-inconclusive", "1"], "found --max-inconclusive with --shard"),
            (["--shard", "2/5", "--explain", "pay.x"], "found --shard and --explain"),
        ])
    func `a shard that cannot be, or with options about the whole run, is reported`(options: [String], expected: String) {
        #expect(rejection(of: TestCommand.self, ["--client", "x"] + options).contains(expected))
    }

    @Test func `a shard is listed without a client and a seed`() throws {
        #expect(try TestCommand.parse(["--list", "--shard", "2/5"]).choice.shard?.number == 2)
    }

    @Test(arguments: [
        ["--json", "a"], ["--require", "pay"], ["--known-failing", "k"], ["--level", "should"], ["--max-unsupported", "0"],
    ])
    func `only merging needs no driver`(options: [String]) throws {
        #expect(rejection(of: ReportCommand.self, ["a.json"] + options).contains("found \(options[0]) without --merge"))
        #expect(try ReportCommand.parse(["--merge", "a.json"] + options).merge)
    }
}
