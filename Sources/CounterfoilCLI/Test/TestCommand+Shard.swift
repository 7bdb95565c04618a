import ArgumentParser

extension TestCommand {
    /// Checks what a shard needs and what it cannot judge.
    func checkShard() throws {
        guard choice.shard != nil else { return }
        if let option = demands.ofWholeRuns {
            throw ValidationError(
                "found \(option) with --shard, expected it with `counterfoil report --merge`, which evaluates all shards together")
        }
        if seed == nil, !trying.showsViews {
            throw ValidationError("found --shard without --seed, expected --seed with one number for all shards")
        }
    }
}
