import BankCore
import BankFiles
import BankImport
import BankModel
import Faults
import TestBanks
import Testing

/// WireMock folders for tests: the one on disk, or mappings written in the test.
enum Corpus {
    /// The folder `Corpus/ledger`, read from disk.
    static func ledger() -> [ImportFile] {
        let folder = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/") + "/Corpus/ledger"
        func files(_ path: String) -> [ImportFile] {
            (FileReader.disk.list("\(folder)/\(path)") ?? []).flatMap { name in
                let inner = path.isEmpty ? name : "\(path)/\(name)"
                return (try? FileReader.disk.read(named: "\(folder)/\(inner)")).map { [ImportFile(inner, $0)] } ?? files(inner)
            }
        }
        return files("")
    }

    /// One file with these mappings, the oldest first.
    static func file(_ mappings: String...) -> [ImportFile] {
        [ImportFile("mappings/all.json", "{\"mappings\": [\(mappings.joined(separator: ",\n"))]}")]
    }

    /// The import of one mapping's request, which answers 200.
    static func warnings(request: String) throws -> [ImportWarning] {
        let rest = #"{"name": "rest", "request": {"method": "GET", "url": "/rest"}, "response": {}}"#
        return try WireMockImport(name: "b").convert(file(#"{"name": "it", "request": \#(request), "response": {}}"#, rest)).warnings
    }

    /// The import of one mapping with this response.
    static func imported(response: String) throws -> Imported {
        try WireMockImport(name: "b").convert(
            file(
                #"{"name": "it", "request": {"method": "GET", "url": "/it"}, "response": \#(response)}"#,
                #"{"name": "rest", "request": {"method": "GET", "url": "/rest"}, "response": {}}"#))
    }
}

extension Imported {
    /// The bank, loaded as the server loads it.
    func bank(_ name: String) throws -> LoadedBank {
        try BankLibrary(inMemory: Dictionary(uniqueKeysWithValues: files.map { ($0.path, $0.bytes) })).load(name)
    }

    func text(_ path: String) -> String? { files.first { $0.path == path }.map { String(decoding: $0.bytes, as: UTF8.self) } }

    /// The plan's rules as they are written; the plan is one that our reader takes without a complaint.
    func rules(_ path: String) throws -> [String] {
        let complaints = Complaints()
        let node = Node.parse(yaml: try #require(text(path)), file: path, complaints)
        let read = Plan(try #require(node), name: "imported", complaints)
        let rules = node?.json["entries"]?.array?.first?["rules"]?.array?.map(\.text) ?? []

        let plan = try #require(read, "\(complaints.all)")
        #expect(complaints.all.isEmpty)
        #expect(!plan.about.isEmpty)
        try #require(plan.entries.count == 1)
        #expect(plan.entries[0].at == .zero)
        #expect(plan.entries[0].length == nil)
        #expect(plan.entries[0].rules.count == rules.count)
        return rules
    }
}

/// A session of an imported bank; no socket.
struct Caller {
    private var state: SessionState
    private let start = Instant(seconds: 1_763_553_600)

    init(_ bank: Bank) {
        state = SessionState(id: "import", seed: 7, prepared: PreparedBank(bank), baseURL: "http://bank", startedAt: start)
    }

    /// The request with a token of that customer, signed in or not.
    mutating func get(_ target: String, as login: String) throws -> BankResponse {
        let token = try state.issueTokens(login: login, at: start).access.text
        return send("GET", target, ["authorization": "Bearer \(token)"]).response
    }

    /// The response and the name of the operation that gave it.
    mutating func send(
        _ method: String, _ target: String, _ headers: KeyValuePairs<String, String> = [:], body: String = ""
    ) -> (operation: String?, response: BankResponse) {
        send(method, target, lines: headers.map { .init($0.key, $0.value) }, body: body)
    }

    /// The same, with headers of a test's arguments.
    mutating func send(
        _ method: String, _ target: String, headers: [String: String], body: String
    ) -> (operation: String?, response: BankResponse) {
        send(method, target, lines: headers.map { .init($0.key, $0.value) }, body: body)
    }

    private mutating func send(
        _ method: String, _ target: String, lines: [JournalEntry.Header], body: String
    ) -> (operation: String?, response: BankResponse) {
        let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let request = BankRequest(method, parts[0], query: parts.count > 1 ? parts[1] : nil, headers: lines, body: Array(body.utf8))
        let answer = state.answer(request, at: start)
        return (answer.match?.name, answer.response)
    }
}

extension BankResponse {
    var text: String { String(decoding: body, as: UTF8.self) }

    func header(_ name: String) -> String? { headers.first { $0.name.lowercased() == name.lowercased() }?.value }
}
