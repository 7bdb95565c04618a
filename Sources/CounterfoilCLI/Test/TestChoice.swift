import ArgumentParser
import BankModel
import Contracts

/// How a run is narrowed beside `--bank` and `--filter`, and what of the catalogue is shown instead of being run.
struct ChoiceOptions: ParsableArguments {
    @Option(help: "Skip these cases: a glob, a case id or a suite, as for --filter; repeatable.")
    var skip: [String] = []

    @Flag(help: "Only the cases that failed or were inconclusive in the last run in this folder with these contracts.")
    var lastFailed = false

    @Flag(help: "List the selected cases instead of running them; needs no --client.")
    var list = false

    @Option(help: ArgumentHelp("Explain a case step by step; needs no --client.", valueName: "case"))
    var explain: String?

    @Option(help: "Run one shard of several, such as 2/5; `counterfoil report --merge` joins their reports.", transform: readShard)
    var shard: Shard?

    @Option(help: "With --shard: the JSON report of an earlier run; its durations are used to balance the shards.")
    var durations: String?

    /// Whether nothing is run.
    var onlyShows: Bool { list || explain != nil }

    func validate() throws {
        if list, explain != nil { throw ValidationError("found --list and --explain, expected one of them") }
        if shard == nil, durations != nil { throw ValidationError("found --durations without --shard, expected both, such as --shard 2/5") }
        if shard != nil, explain != nil { throw ValidationError("found --shard and --explain, expected one of them") }
    }

    /// The division of instances among machines; nil without `--shard`.
    ///
    /// - Throws: ``ComplaintsError`` if the report of `--durations` cannot be used.
    func cut(_ names: [String]) throws(ComplaintsError) -> ShardCut? {
        guard let shard else { return nil }
        guard let durations else { return ShardCut(names, shard) }
        return ShardCut(names, shard, durations: try ShardCut.durations(FiledReport(reading: durations), of: names))
    }
}

/// The selected cases of the catalogue.
struct TestChoice {
    let instances: [Instance]
    /// How many were left out by `--skip`.
    let skipped: Int
    /// The names of `--last-failed` that the contracts still have; empty without the option.
    let lastFailed: [String]
    /// Complaints about options that match nothing: a misspelt name must not silently skip its cases.
    let idle: [String]
    /// The division among machines; nil without `--shard`.
    let cut: ShardCut?

    /// - Throws: ``ComplaintsError`` if `--last-failed` knows of no run, or the report of `--durations` cannot be used.
    init(
        _ loaded: LoadedContracts, banks: [String], filters: [String], _ options: ChoiceOptions, memory: LastFailed
    ) throws(ComplaintsError) {
        let all = loaded.instances
        var chosen = all.filter { instance in
            (banks.isEmpty || banks.contains(instance.bank.name)) && (filters.isEmpty || filters.contains(where: instance.isChosen))
        }
        var idle = TestChoice.idle("--filter", filters, among: all) + TestChoice.idle("--skip", options.skip, among: all)
        let kept = try options.lastFailed ? memory.names() : []
        if options.lastFailed {
            let wanted = Set(kept)
            chosen = chosen.filter { wanted.contains($0.name) }
            if kept.isEmpty { idle.append("--last-failed: nothing failed in the last run; no case was run") }
        }
        // With --bank the others are not even loaded, so they look like names that are gone.
        let known = Set(all.map(\.name))
        lastFailed = banks.isEmpty ? kept.filter(known.contains) : kept
        idle += TestChoice.gone(kept.filter { banks.isEmpty && !known.contains($0) })
        let left = chosen.filter { options.skip.contains(where: $0.isChosen) }
        let names = Set(left.map(\.name))
        let whole = chosen.filter { !names.contains($0.name) }
        cut = try options.cut(whole.map(\.name))
        instances = cut?.chosen(whole) ?? whole
        skipped = left.count
        self.idle = idle
    }

    /// Complaints about globs that match nothing.
    static func idle(_ option: String, _ globs: [String], among instances: [Instance]) -> [String] {
        let known = Set(instances.flatMap { [$0.suite, $0.caseID] }).sorted()
        return globs.filter { glob in !instances.contains { $0.isChosen(by: glob) } }.map { glob in
            let name = String(glob.prefix { !"@[*".contains($0) })
            // `retry.names` may be the name of a file, `retry.names.yaml`.
            let suite = String(name.prefix { $0 != "." })
            let whole = known.contains(suite) ? "; the part before the first dot is the suite: `\(suite)` selects all its cases" : ""
            let hint =
                name == "invariant" || name.hasPrefix("invariant.")
                ? "; invariants apply to every case and cannot be selected" : didYouMean(name, among: known, otherwise: whole)
            return
                "\(option): found `\(glob)`, which matches no case of the banks, expected a glob, a case's id or a suite (`--list` has them)\(hint)"
        }
    }

    /// A complaint about names that are no longer in the contracts.
    private static func gone(_ gone: [String]) -> [String] {
        guard !gone.isEmpty else { return [] }
        let shown = gone.prefix(5).map { "`\($0)`" } + (gone.count > 5 ? ["\(gone.count - 5) more"] : [])
        return ["--last-failed: found \(shown.joined(separator: ", ")), which are no longer in the contracts; the others are run"]
    }
}

/// A shard such as `2/5`.
@Sendable private func readShard(_ text: String) throws -> Shard {
    guard let shard = Shard(text: text) else { throw ValidationError("found --shard \(text), expected \(Shard.expectedText)") }
    return shard
}
