import ArgumentParser
import BankModel
import Contracts
import Foundation

/// The catalogue as `counterfoil test` shows it, and the names it stores after a run.
extension TestCommand {
    /// Shows the list of cases, or one case in words.
    func show() throws {
        let text = try reportingFailures { () throws -> String in
            let complaints = Complaints()
            let loaded = LoadedContracts(stubs: stubs, contracts: contracts, banks: bank, complaints)
            guard complaints.errors.isEmpty else { throw ComplaintsError(complaints.errors) }
            if let name = choice.explain { return try explanation(of: name, loaded) }
            let memory = LastFailed(contracts: InstalledFolder.find("Contracts", given: contracts))
            let chosen = try TestChoice(loaded, banks: bank, filters: filter, choice, memory: memory)
            for line in chosen.idle { Output.errors.line(line) }
            if choice.shard != nil { return chosen.instances.map { $0.name + "\n" }.joined() }
            return CaseList(loaded.suites, chosen.instances).text
        }
        Output.results.write(text)
    }

    private func explanation(of given: String, _ loaded: LoadedContracts) throws(ComplaintsError) -> String {
        let name = Invariant.presentName(given)
        let cases = loaded.suites.flatMap(\.cases)
        // Reports show an instance's name.
        let id = cases.contains { $0.id == name } ? name : String(name.prefix { $0 != "@" })
        if let invariant = loaded.invariants.first(where: { $0.id == id }) { return CaseExplanation.text(of: invariant, in: cases) }
        guard let contract = cases.first(where: { $0.id == id }) else {
            let known = cases.map(\.id) + loaded.invariants.map(\.id)
            let near = nearestName(to: id, among: known) ?? known.first { $0.contains(id) }
            let hint = near.map { "; did you mean `\($0)`?" } ?? "; see --list"
            throw wrong("found the case `\(name)`, expected one of the contracts\(hint)", "--explain")
        }
        let instances = loaded.instances.filter { $0.caseID == id }
        guard name.contains("@") else { return CaseExplanation(contract, instances).text }
        guard let example = instances.first(where: { $0.name == name }) else {
            let near = nearestName(to: name, among: instances.map(\.name)).map { "; did you mean `\($0)`?" } ?? "; see --list"
            throw wrong("found `\(name)`, expected an instance of \(id)\(near)", "--explain")
        }
        return CaseExplanation(contract, instances, example: example).text
    }

    /// Returns the result of `work`; adds to the errors in files and names that no case was run.
    func reportingFailures<Value>(_ work: () throws -> Value) throws -> Value {
        do { return try work() } catch let error as ComplaintsError {
            throw UsageError("no case was run", because: error.complaints)
        }
    }

    /// Keeps the names of what failed for `--last-failed`; a run that judged nothing leaves them as they are.
    func remember(_ report: RunReport, _ plan: TestPlan) {
        if report.results.isEmpty { return }
        let names = LastFailed.names(after: report, earlier: plan.choice.lastFailed)
        do throws(FileError) { try plan.memory.keep(names) } catch {
            if !names.isEmpty { Output.errors.line("warning: \(error); --last-failed will not include this run") }
        }
    }

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
