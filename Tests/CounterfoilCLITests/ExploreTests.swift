import ArgumentParser
import BankFiles
import BankImport
import BankModel
import Contracts
import DriverProtocol
import Foundation
import TestBanks
import Testing

@testable import CounterfoilCLI

/// `counterfoil explore`: its arguments, and the contracts that it writes.
@Suite struct ExploreTests {
    @Test(
        arguments: [
            (["--minutes", "1", "--runs", "5"], "found --minutes and --runs, expected one of them"),
            (["--minutes", "0"], "found --minutes 0.0, expected"), (["--runs", "0"], "found --runs 0, expected 1 to"),
            (["--jobs", "0"], "found --jobs 0, expected 1 to 256"), (["--one-shot"], "found --one-shot without --operations"),
        ])
    func `limits that cannot be are reported`(options: [String], expected: String) {
        #expect(rejection(of: ExploreCommand.self, ["--client", "x"] + options).contains(expected))
    }

    @Test func `the file of a contract is read as the case that was run`() throws {
        let bank = BankFacts(name: "toy", customers: [.init(login: "ava", password: "p")], operations: [.login, .accounts, .pay])
        let steps: [JSON] = [
            "login", ["fault": ["lose-reply": ["by": "close"]], "on": ["role": "pay", "attempt": 1], "times": 1],
            ["together": [["pay": ["intent": "P1", "amount": "1.10"], "label": "c1"], ["cancel": "c1"]]],
            ["kill": ["during": ["pay": ["intent": "P2", "amount": "2.50"]], "at": "commit"]], ["advance": "10m"],
        ]
        let given = JSONObject([("timeouts", ["connect_ms": 400, "total_ms": 500]), ("protocol", "h1s")])
        let scenario = Scenario(name: "ledger-12ab", bank: "toy", given: given, steps: steps, why: "Money: it moves once, \"or never\".")
        let run = try #require(scenario.instance(on: bank, views: [.accounts]))

        let text = YAMLText.document(try #require(scenario.file(on: bank, views: [.accounts])), comment: "Found.")
        let complaints = Complaints()
        let node = try #require(Node.parse(yaml: text, file: scenario.fileName, complaints))
        let suite = try #require(Suite(node, name: "explored", complaints))
        let read = try #require(suite.cases.first?.instances(on: bank, complaints).first)

        #expect(complaints.errors.isEmpty)
        #expect(scenario.fileName == "explored.ledger-12ab.yaml")
        #expect(read.name == run.name)
        #expect(read.why == run.why)
        #expect(read.given == run.given)
        #expect(read.steps.flatMap(\.flattened).map { "\($0.action)" } == run.steps.flatMap(\.flattened).map { "\($0.action)" })
    }

    @Test func `the folder for contracts is not made before there is one`() throws {
        let home = try TestFolder()
        defer { home.remove() }
        let path = home.path + "/explored"

        _ = try ExploredFolder(path)

        #expect(!FileManager.default.fileExists(atPath: path))
    }

    @Test func `a contract that cannot be written keeps no other from its file, and is reported`() throws {
        let home = try TestFolder()
        defer { home.remove() }
        let path = home.path
        let folder = try ExploredFolder(path)
        try FileManager.default.createDirectory(atPath: "\(path)/explored.first.yaml", withIntermediateDirectories: true)
        let bank = BankFacts(name: "toy", customers: [.init(login: "ava", password: "p")], operations: [.login, .accounts])
        var found = try ["first", "second"].map { name in
            let scenario = Scenario(name: name, bank: "toy", steps: ["login", "accounts"])
            let run = try #require(scenario.instance(on: bank, views: [.accounts]))
            let result = InstanceResult(run, Evidence(clientTrouble: "the client ended"), Judgement(.fail))
            return ExploreReport.Found(
                failure: try #require(ExploredFailure.all(in: [result]).first), original: scenario, scenario: scenario, run: 1, tried: 0,
                words: [], file: try #require(scenario.file(on: bank, views: [.accounts])))
        }

        let error = folder.write(&found)

        #expect(error.map { "\($0)".contains("explored.first.yaml") } == true)
        #expect(found.map(\.path) == [nil, "\(path)/explored.second.yaml"])
        #expect(FileManager.default.fileExists(atPath: "\(path)/explored.second.yaml"))
    }
}
