import ArgumentParser
import BankFiles
import BankModel
import Contracts
import Foundation
import Harness
import TestBanks
import Testing

@testable import CounterfoilCLI

extension LoadedContracts {
    /// One bank of the repository, with its cases.
    static var bins: LoadedContracts {
        LoadedContracts(stubs: Clone.stubs, contracts: Clone.contracts.path, banks: ["bins"], Complaints())
    }
}

/// The selection of cases by `--filter`, `--skip` and `--last-failed`.
@Suite struct TestChoiceTests {
    private func choice(
        _ filters: [String] = [], _ words: [String] = [], banks: [String] = [], memory: LastFailed? = nil
    ) throws -> TestChoice {
        let options = try ChoiceOptions.parse(words)
        return try TestChoice(
            .bins, banks: banks, filters: filters, options, memory: memory ?? LastFailed(home: "/nowhere", contracts: "c"))
    }

    @Test func `a folder of banks that does not exist is called so`() {
        let error = #expect(throws: ComplaintsError.self) { try BankLibrary.find("/nowhere/Stubs").sources([]) }

        #expect(error.map { "\($0)" }?.contains("found no such folder, expected folders with a bank.yaml") == true)
    }

    @Test func `a folder without banks is reported once, whatever bank is named`() {
        let complaints = Complaints()

        _ = LoadedContracts(stubs: "/nowhere/Stubs", contracts: "/nowhere/Contracts", banks: ["bins"], complaints)

        let found = complaints.all.map(\.description)
        #expect(found.count == 2, "\(found)")
        #expect(found.contains { $0.contains("found no bank, expected folders with a bank.yaml (see --stubs)") }, "\(found)")
        #expect(found.contains { $0.contains("expected a folder of contracts (see --contracts)") }, "\(found)")
    }

    // MARK: --skip

    @Test func `what is skipped is not run, and is counted among what was chosen alone`() throws {
        let all = try choice(["data"])
        let some = try choice(["data"], ["--skip", "data.exact*", "--skip", "errors"])

        let exact = all.instances.filter { $0.caseID.hasPrefix("data.exact") }.count
        #expect(exact > 0)
        #expect(some.skipped == exact)
        #expect(some.instances.count == all.instances.count - exact)
        #expect(!some.instances.contains { $0.caseID.hasPrefix("data.exact") })
        #expect(some.idle.isEmpty)
    }

    @Test func `a glob that fits nothing is reported with what it may have meant`() throws {
        let choice = try choice(["data.exact-amount"], ["--skip", "date"])

        try #require(choice.instances.isEmpty)
        try #require(choice.idle.count == 2)
        #expect(choice.idle[0].hasPrefix("--filter: found `data.exact-amount`"))
        #expect(choice.idle[0].contains("did you mean `data.exact-amounts`?"))
        #expect(choice.idle[1].hasPrefix("--skip: found `date`, which matches no case"))
        #expect(choice.idle[1].contains("did you mean `data`?"))
    }

    @Test(arguments: ["data.names", "data.names.yaml", "data.names@bins"])
    func `the name of a part of a suite gets the error that names the suite`(glob: String) throws {
        let message = try #require(try choice([glob]).idle.first)

        #expect(message.hasSuffix("; the part before the first dot is the suite: `data` selects all its cases"))
    }

    @Test(arguments: ["invariant", "invariant.*", "invariant.own-data-only"])
    func `a glob for invariants gets the error that none is chosen`(glob: String) throws {
        let message = try #require(try choice([glob]).idle.first)

        #expect(message.hasSuffix("; invariants apply to every case and cannot be selected"))
    }

    // MARK: --last-failed

    @Test func `what failed in the last run is run, less what is filtered and skipped; a name that is gone is reported`() throws {
        try inFolder { home in
            let names = try Array(choice(["data", "errors"]).instances.map(\.name))
            let memory = LastFailed(home: home, folder: "/project", contracts: "Contracts")
            try memory.keep(Array(names.prefix(3)) + ["data.gone@bins"])

            let again = try choice([], ["--last-failed"], memory: memory)
            let less = try choice([names[1]], ["--last-failed"], memory: memory)
            let skipping = try choice([], ["--last-failed", "--skip", names[0]], memory: memory)

            #expect(Set(again.instances.map(\.name)) == Set(names.prefix(3)))
            #expect(again.idle == ["--last-failed: found `data.gone@bins`, which are no longer in the contracts; the others are run"])
            #expect(Set(again.lastFailed) == Set(names.prefix(3)))
            #expect(less.instances.map(\.name) == [names[1]])
            #expect(skipping.skipped == 1)
            #expect(skipping.instances.count == 2)
            #expect(try choice([], ["--last-failed"], banks: ["bins"], memory: memory).idle.isEmpty)
        }
    }

    @Test func `the list is its owner's alone, and another folder or other contracts have another`() throws {
        try inFolder { home in
            let memory = LastFailed(home: home, folder: "/project", contracts: "Contracts")

            try memory.keep(["a@b", "c@d"])

            #expect(try memory.names() == ["a@b", "c@d"])
            let mode = try FileManager.default.attributesOfItem(atPath: memory.path)[.posixPermissions] as? Int
            #expect(mode == 0o600)
            #expect(try LastFailed(home: home, folder: "/project", contracts: "/project/Contracts").names() == ["a@b", "c@d"])
            for other in [
                LastFailed(home: home, folder: "/other", contracts: "Contracts"),
                LastFailed(home: home, folder: "/project", contracts: "Mine"),
            ] {
                let error = #expect(throws: ComplaintsError.self) { try other.names() }
                #expect(error?.description.contains("found no earlier run in /") == true)
            }
        }
    }

    @Test(
        arguments: [
            ("{", "found no JSON"), (#"{"last_failed": 2}"#, "found another version of it"),
            (#"{"last_failed": 1, "folder": "/x", "contracts": "/x", "names": []}"#, "found that of another folder"),
            (#"{"last_failed": 1, "folder": "/project", "contracts": "/project/Contracts", "names": [1]}"#, "found no list `names`"),
            (#"[]"#, "found another version"), ("", "found no JSON"),
        ])
    func `a list that is damaged is reported with its position and what to do`(text: String, expected: String) throws {
        try inFolder { home in
            let memory = LastFailed(home: home, folder: "/project", contracts: "Contracts")
            try memory.keep([])
            try Data(text.utf8).write(to: URL(filePath: memory.path))

            let error = #expect(throws: ComplaintsError.self) { try memory.names() }

            #expect(error?.description.hasPrefix("\(memory.path): \(expected)") == true)
            #expect(error?.description.contains("run without --last-failed") == true)
        }
    }

    @Test func `a run keeps what failed in it, and of an earlier list what it left undone`() throws {
        let instances = try choice(["data"]).instances
        try #require(instances.count > 4)
        let verdicts: [Verdict] = [.pass, .fail, .inconclusive, .unsupported]
        var results = zip(instances, verdicts).map { InstanceResult($0, Evidence(), Judgement($1)) }
        results.append(results[1])
        let report = RunReport(client: "c", command: "c", seed: 1, results: results)

        let names = LastFailed.names(after: report, earlier: [instances[0].name, instances[4].name])

        #expect(names == [instances[1].name, instances[2].name, instances[4].name])
    }
}
