import BankModel
import Contracts
import Crypto

/// The division of a run's instances among machines that do not talk to each other: each comes to the same.
struct ShardCut: Sendable {
    /// The shard that is run here.
    let shard: Shard
    /// All names of the run, in order.
    let names: [String]
    /// The shard of each name, from 1.
    let numbers: [Int]

    /// Divides by names or, if there are durations, so that all shards take about as long.
    ///
    /// By names an instance stays in its shard whatever else is added or removed. By durations the longest instances are
    /// given out first, each to the shard that has the least to do; an instance without a duration counts as the average.
    ///
    /// - Parameters:
    ///   - names: the names of all instances of the run.
    ///   - durations: milliseconds of an earlier run by name; empty to divide by names.
    init(_ names: [String], _ shard: Shard, durations: [String: Int64] = [:]) {
        self.shard = shard
        self.names = names
        numbers =
            durations.isEmpty ? names.map { ShardCut.number(of: $0, among: shard.count) } : ShardCut.even(names, shard.count, durations)
    }

    /// The shard of a name: the first 8 bytes of its SHA-256 as a number, modulo the number of shards, plus 1.
    static func number(of name: String, among count: Int) -> Int {
        let hash = SHA256.hash(data: Array(name.utf8)).prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return Int(hash % UInt64(count)) + 1
    }

    private static func even(_ names: [String], _ count: Int, _ durations: [String: Int64]) -> [Int] {
        let known = names.compactMap { durations[$0] }
        let average = known.isEmpty ? 1 : known.reduce(0, +) / Int64(known.count)
        // No instance is free: many that took no millisecond are divided, too.
        let costs = names.map { max(1, durations[$0] ?? average) }
        var loads = Array(repeating: Int64(0), count: count)
        var numbers = Array(repeating: 1, count: names.count)
        for index in names.indices.sorted(by: { (costs[$1], names[$0]) < (costs[$0], names[$1]) }) {
            let least = loads.indices.min { loads[$0] < loads[$1] } ?? 0
            loads[least] += costs[index]
            numbers[index] = least + 1
        }
        return numbers
    }

    /// The index of each name in the whole run, from 0.
    var positions: [String: Int] { Dictionary(names.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first }) }

    /// The instances of this machine's shard, in their order.
    func chosen(_ instances: [Instance]) -> [Instance] {
        let mine = Set(zip(names, numbers).filter { $0.1 == shard.number }.map(\.0))
        return instances.filter { mine.contains($0.name) }
    }

    /// The part that a report names: what all shards of one run have in common, and which it is.
    func part(repetitions: Int) -> RunPart {
        var hash = SHA256()
        hash.update(data: Array("\(repetitions) \(shard.count)\n".utf8))
        for (name, number) in zip(names, numbers) { hash.update(data: Array("\(number) \(name)\n".utf8)) }
        return RunPart(shard, total: names.count * repetitions, cut: hexadecimal(Array(hash.finalize())))
    }

    /// The durations of an earlier run's instances, of several repetitions the average.
    ///
    /// - Throws: ``ComplaintsError`` if the run has none of the names: it is of other contracts, or of something else.
    static func durations(_ report: FiledReport, of names: [String]) throws(ComplaintsError) -> [String: Int64] {
        let wanted = Set(names)
        let found = Dictionary(grouping: report.run.results.filter { wanted.contains($0.name) }, by: \.name).mapValues { results in
            results.map(\.duration).reduce(0, +) / Int64(results.count)
        }
        guard found.isEmpty, !names.isEmpty else { return found }
        throw wrong(
            "found no result of the \(counted(names.count, "chosen instance")), expected the report of an earlier run of them", report.file)
    }
}
