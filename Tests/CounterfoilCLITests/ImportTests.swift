import ArgumentParser
import Foundation
import TestBanks
import Testing

@testable import BankImport
@testable import CounterfoilCLI

/// An import is written whole or not at all.
@Suite struct ImportTests {
    private static let mapping = #"{"request": {"method": "GET", "url": "/a"}, "response": {"body": "a", "fault": "EMPTY_RESPONSE"}}"#

    /// Runs the import of one mapping in a new folder; returns the exit code and the files there afterwards.
    private func run(
        _ mapping: String = mapping, _ options: [String] = [], before: [String: String] = [:]
    ) throws -> (code: Int32, files: [String: String]) {
        let folder = try TestFolder()
        defer { folder.remove() }
        for (path, text) in before.merging(["in/mappings/a.json": mapping], uniquingKeysWith: { first, _ in first }) {
            try folder.write(text, to: path)
        }
        let command = try ImportWireMock.parse([folder.path + "/in", "--out", folder.path + "/out", "--name", "b"] + options)
        return (try exitCode { try command.run() }, folder.files.filter { !$0.key.hasPrefix("in") })
    }

    @Test func `all is written and nothing else is left behind`() throws {
        let result = try run()

        #expect(result.code == 0)
        #expect(
            result.files.keys.sorted() == [
                "out/b/bank.yaml", "out/b/bodies/get-a.txt", "out/dialects/canned.yaml", "out/outages/b.yaml",
                "out/schemas/bank.schema.json", "out/schemas/dialect.schema.json", "out/schemas/plan.schema.json",
            ])
    }

    /// A HAR file may have requests to 100,000 hosts, each of which is a reason.
    @Test func `of many reasons the first are printed, and the number of the others`() {
        let warnings = (1...150).map { number in
            ImportWarning(file: "a.har", item: "", path: "", found: "1", reason: "the host h\(number)", effect: .leftOut)
        }

        let lines = ImportCommand.lines(warnings)

        #expect(lines.count == 101)
        #expect(lines.first == "a.har: found 1; the host h1 (skipped)")
        #expect(lines.last == "and 50 more reasons; --json lists all")
    }

    @Test func `one file of mappings is a source too`() throws {
        let folder = try TestFolder()
        defer { folder.remove() }
        try folder.write(#"{"mappings": [\#(ImportTests.mapping)]}"#, to: "ledger.json")

        try ImportWireMock.parse([folder.path + "/ledger.json", "--out", folder.path + "/out"]).run()

        #expect(FileManager.default.fileExists(atPath: folder.path + "/out/ledger/bank.yaml"))
    }

    @Test func `an import with losses ends with one if it is strict`() throws {
        let mapping = #"{"request": {"method": "GET", "url": "/a"}, "response": {"statusMessage": "x"}}"#

        let result = try run(mapping, ["--strict"])
        #expect(result.code == 1)
        #expect(result.files["out/b/bank.yaml"] != nil)
        #expect(try run(mapping).code == 0)
        #expect(try run(ImportTests.mapping, ["--strict"]).code == 0)
    }

    @Test func `bodies may be in another folder`() throws {
        let mapping = #"{"request": {"method": "GET", "url": "/a"}, "response": {"bodyFileName": "x/a.txt"}}"#
        let folder = try TestFolder()
        defer { folder.remove() }
        try folder.write("elsewhere", to: "x/a.txt")

        let result = try run(mapping, ["--files", folder.path], before: ["in/__files/x/a.txt": "here"])
        #expect(result.files["out/b/files/x/a.txt"] == "elsewhere")
        #expect(try run(mapping, before: ["in/__files/x/a.txt": "here"]).files["out/b/files/x/a.txt"] == "here")
    }

    @Test(arguments: [
        "{", #"{"request": {"method": "GET", "url": "/a"}, "response": {"bodyFileName": "../mappings/a.json"}}"#,
        #"{"request": {"method": "GET", "url": "/a"}, "response": {"bodyFileName": "none"}}"#, #"{"request": {"host": {}}}"#,
    ])
    func `nothing is written when it fails`(_ mapping: String) throws {
        let result = try run(mapping)

        #expect(result.code == 2)
        #expect(result.files == [:])
    }

    @Test func `a folder that is not empty is left alone`() throws {
        let before = ["out/mine.txt": "mine"]

        #expect(try run(before: before) == (2, before))
        #expect(try run(before: ["out": "a file"]) == (2, ["out": "a file"]))
    }

    @Test func `replace replaces the bank and leaves the rest`() throws {
        let plain = #"{"request": {"method": "GET", "url": "/a"}, "response": {}}"#
        let before = [
            "out/b/bank.yaml": "old", "out/b/old.json": "old", "out/outages/b.yaml": "old", "out/outages/c.yaml": "mine",
            "out/c/bank.yaml": "mine",
        ]

        let failed = try run("{", ["--replace"], before: before)
        let result = try run(plain, ["--replace"], before: before)

        #expect(failed == (2, before))
        #expect(result.code == 0)
        #expect(result.files["out/b/bank.yaml"]?.contains("GET /a") == true)
        #expect(
            result.files.keys.sorted() == [
                "out/b/bank.yaml", "out/c/bank.yaml", "out/dialects/canned.yaml", "out/outages/c.yaml", "out/schemas/bank.schema.json",
                "out/schemas/dialect.schema.json",
            ])
    }

    /// In the bank's folder, in a folder there, by a link, and the plan, which a bank without rules removes.
    @Test(arguments: ["out/b/app.har", "out/b/x/app.har", "link/app.har", "out/outages/b.yaml"])
    func `an input that would be replaced is rejected, and all stays as it is`(_ path: String) throws {
        let home = try TestFolder()
        defer { home.remove() }
        let folder = home.path
        let files = FileManager.default
        for name in ["out/b/x", "out/outages", "out/c"] {
            try files.createDirectory(atPath: "\(folder)/\(name)", withIntermediateDirectories: true)
        }
        try files.createSymbolicLink(atPath: "\(folder)/link", withDestinationPath: "\(folder)/out/b")
        let pact =
            #"{"consumer": {"name": "app"}, "provider": {"name": "b"}, "interactions": [{"description": "a", "request": "#
            + #"{"method": "GET", "path": "/a"}, "response": {"status": 200}}], "metadata": {"pactSpecification": {"version": "2.0.0"}}}"#
        func write(_ path: String) throws { try Data(pact.utf8).write(to: URL(fileURLWithPath: "\(folder)/\(path)")) }
        func run(_ path: String) throws {
            try ImportPact.parse(["\(folder)/\(path)", "--into", "b", "--stubs", "\(folder)/out", "--replace"]).run()
        }
        for name in [path, "out/c/app.har"] { try write(name) }

        #expect(throws: (any Error).self) { try run(path) }
        #expect(try String(contentsOfFile: "\(folder)/\(path)", encoding: .utf8) == pact)
        #expect(!files.fileExists(atPath: "\(folder)/out/b/bank.yaml"))
        // Another bank's folder stays as it is.
        try run("out/c/app.har")
        #expect(files.fileExists(atPath: "\(folder)/out/b/bank.yaml"))
    }

    @Test(arguments: ["../b", "dialects", "B", ""])
    func `a name that is no folder's is rejected`(_ name: String) {
        #expect(throws: (any Error).self) { try ImportWireMock.parse(["in", "--name", name]) }
    }
}

private func == (a: (code: Int32, files: [String: String]), b: (Int32, [String: String])) -> Bool { a.code == b.0 && a.files == b.1 }
