import BankFiles
import BankModel
import Contracts
import Faults
import Foundation
import TestBanks
import Testing

/// Cases that are run once for each file of the corpus, and the corpus that is shipped.
@Suite struct CorpusTests {
    private static let corpus = Corpus(folders: [
        "json": [.init(name: "empty", bytes: []), .init(name: "nul-behind", bytes: [0x7B, 0x7D, 0]), .init(name: "word", bytes: [0x78])]
    ])

    private static let yaml = """
        contract: 1
        suite: toy
        cases:
        - id: toy.a
          why: because
          needs: [accounts]
          matrix: {connection: [cold, warm]}
          foreach: {body: corpus:json/*}
          except: [{body: word, connection: warm}]
          steps:
          - fault: {status: {status: 200, body_hex: $body}}
          - accounts
          expect: [{fired: 1}]
        """

    private func read(_ yaml: String, _ complaints: Complaints) -> Contracts.Suite? {
        Contracts.Suite(Make.node(yaml, complaints), name: "toy", corpus: Self.corpus, complaints)
    }

    @Test func `a case runs once for each file with its bytes`() throws {
        let complaints = Complaints()
        let suite = try #require(read(Self.yaml, complaints))

        let instances = suite.cases.flatMap { $0.instances(on: Make.bank, complaints) }

        #expect(complaints.all.map(\.description) == [])
        #expect(
            instances.map(\.name) == [
                "toy.a@toy[connection=cold,body=empty]", "toy.a@toy[connection=cold,body=nul-behind]",
                "toy.a@toy[connection=cold,body=word]", "toy.a@toy[connection=warm,body=empty]",
                "toy.a@toy[connection=warm,body=nul-behind]",
            ])
        let rules = instances.compactMap { instance -> String? in
            guard case .fault(let rule) = instance.steps.first?.action else { return nil }
            return rule.json.text
        }
        #expect(rules.first?.contains("body") == false)
        #expect(rules[1].contains(#""body":"{}\u0000""#))
    }

    @Test(
        arguments: [
            ("corpus:json/*", "corpus:jsn/*", "found `corpus:jsn/*`, expected corpus:, one of the folders json"),
            ("corpus:json/*", "corpus:json/no-*", "found `corpus:json/no-*`, expected a pattern that some file of corpus/json matches"),
            ("corpus:json/*", "json", "t.yaml:8:19: found `json`, expected corpus:"),
            ("{body: corpus", "{connection: corpus", "the key `connection` is both in `foreach` and in the matrix"),
            ("body_hex: $body", "body_hex: $bdy", "found `$bdy`, expected bytes as hexadecimal digits"),
            ("body_hex: $body", "body_hex: $body, body: x", "found `body` and `body_hex`, expected one of them"),
        ])
    func `a fault of foreach is reported`(old: String, new: String, expected: String) {
        let complaints = Complaints()

        _ = read(Self.yaml.replacing(old, with: new), complaints)

        #expect(complaints.all.contains { $0.description.contains(expected) }, "\(complaints.all)")
    }

    private static var folder: URL {
        Clone.root.appending(path: "Stubs")
    }

    @Test(arguments: [("json", 80), ("json-extended", 50), ("json-utf8", 7)])
    func `the shipped corpus is damaged in many ways and no file is JSON`(folder: String, least: Int) throws {
        let complaints = Complaints()

        let files = try #require(CorpusFiles(stubs: Self.folder).corpus(complaints).folders[folder])

        #expect(complaints.all.isEmpty)
        #expect(files.count >= least)
        #expect(Set(files.map(\.bytes)).count == files.count)
        for file in files {
            #expect(throws: JSONError.self, "\(file.name) is read as JSON") { try JSON(parsing: file.bytes) }
        }
    }

    @Test func `no file that must be rejected is JSON once bytes that are not UTF-8 are replaced`() throws {
        let files = try #require(CorpusFiles(stubs: Self.folder).corpus(Complaints()).folders["json"])

        for file in files {
            let replaced = Array(String(decoding: file.bytes, as: UTF8.self).utf8)  // as `fetch` reads a body
            #expect(throws: JSONError.self, "\(file.name) is read as JSON") { try JSON(parsing: replaced) }
        }
    }

    @Test(arguments: ["json", "json-extended", "json-utf8"])
    func `the index describes every file`(folder: String) throws {
        let index = try String(contentsOf: Self.folder.appending(path: "corpus/\(folder)/\(CorpusFiles.index)"), encoding: .utf8)
        let files = try #require(CorpusFiles(stubs: Self.folder).corpus(Complaints()).folders[folder])

        let rows = index.split(separator: "\n").filter { $0.hasPrefix("| `") }.map { $0.split(separator: "`")[1] }

        #expect(rows.sorted() == files.map { $0.name[...] }.sorted())
    }
}
