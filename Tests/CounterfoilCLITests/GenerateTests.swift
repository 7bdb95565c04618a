import ArgumentParser
import Foundation
import TestBanks
import Testing

@testable import CounterfoilCLI

/// A generated bank is written whole or not at all.
@Suite struct GenerateTests {
    private static let stubs = Clone.stubs

    /// Runs the command in a new folder; returns the exit code and the files there afterwards.
    private func run(
        _ options: [String] = [], stubs: String = stubs, before: [String: String] = [:], out: String = "out"
    ) throws -> (code: Int32, files: [String: String]) {
        let folder = try TestFolder()
        defer { folder.remove() }
        for (path, text) in before { try folder.write(text, to: path) }
        let location = ["--out", folder.path + "/" + out, "--stubs", stubs == Self.stubs ? stubs : folder.path + "/" + stubs]
        let command = try GenerateCommand.parse(["--rows", "30"] + location + options)
        return (try exitCode { try command.run() }, folder.files)
    }

    @Test(arguments: ["out", "out/", "deep/er/out"]) func `all is written and nothing else is left behind`(_ out: String) throws {
        let result = try run(out: out)

        let location = out.hasSuffix("/") ? "out" : out
        let bank = ["accounts.json", "atms.json", "bank.yaml", "goals.json", "images/card.png", "images/coin.png"]
        let rest = ["new-payees.json", "openings.json", "payees.json", "transactions.json"]
        #expect(result.code == 0)
        let schemas = ["\(location)/schemas/bank.schema.json", "\(location)/schemas/dialect.schema.json"]
        let files = (bank + rest).map { "\(location)/counterfoil/\($0)" } + ["\(location)/dialects/problem-json.yaml"] + schemas
        #expect(result.files.keys.sorted() == files.sorted())
        #expect(result.files["\(location)/counterfoil/transactions.json"]?.split(separator: "\n").count == 32)
    }

    @Test func `a folder of other banks gives way to the shipped one, unless it was named`() {
        let folder = GenerateTests.stubs

        #expect(ModelBank.find(in: "\(folder)/counterfoil", given: nil, shipped: folder).stubs == folder)
        #expect(ModelBank.find(in: "\(folder)/counterfoil", given: "named", shipped: folder).stubs == "\(folder)/counterfoil")
        #expect(ModelBank.find(in: folder, given: nil, shipped: "elsewhere").stubs == folder)
    }

    @Test func `what is written is valid`() throws {
        let home = try TestFolder()
        defer { home.remove() }
        let folder = home.path + "/out"

        try GenerateCommand.parse(["--rows", "30", "--out", folder, "--stubs", Self.stubs, "--bank", "big", "--odd-dates"]).run()

        let contracts = Self.stubs.dropLast("Stubs".count) + "Contracts"
        #expect(throws: Never.self) { try ValidateCommand.parse(["--stubs", folder, "--contracts", String(contracts)]).run() }
    }

    @Test func `a location that is taken is left alone`() throws {
        for before in [["out/mine.txt": "mine"], ["out": "a file"]] {
            let result = try run(before: before)

            #expect(result.code == 2)
            #expect(result.files == before)
        }
    }

    @Test func `a location that cannot be made is reported`() throws {
        let before = ["up": "a file"]

        let result = try run(before: before, out: "up/out")

        #expect(result.code == 2)
        #expect(result.files == before)
    }

    /// Each lacks something that is taken from the shipped bank.
    @Test(arguments: [
        [:], ["s/counterfoil/bank.yaml": "bank: counterfoil\nabout: a\ncustomers: []\n"],
        ["s/counterfoil/bank.yaml": "bank: counterfoil\n", "s/dialects/problem-json.yaml": "d"],
    ])
    func `nothing is written without the shipped bank`(_ before: [String: String]) throws {
        let result = try run(stubs: "s", before: before)

        #expect(result.code == 2)
        #expect(result.files == before)
    }

    @Test(arguments: [
        ["--rows", "0"], ["--rows", "10000001"], ["--rows", "ten"], ["--seed", "-1"], ["--bank", "../b"], ["--bank", "dialects"],
    ])
    func `what no bank can be is rejected`(_ options: [String]) {
        #expect(throws: (any Error).self) { try GenerateCommand.parse(["--out", "o"] + options) }
        #expect(throws: Never.self) { try GenerateCommand.parse(["--out", "o", "--rows", "10000000", "--bank", "b-1"]) }
    }
}
