@testable import CounterfoilTesting
import Foundation
import Testing

/// The search for the banks' folder.
@Suite struct FindingTests {
    private static let checkout = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appending(path: "Stubs")

    @Test func `the embedded banks are used unless another folder is named`() throws {
        let embedded = try StubsFolder(nil, environment: [:])
        let checkout = FindingTests.checkout.path
        let named = try StubsFolder(nil, environment: ["COUNTERFOIL_STUBS": checkout + "/"], embedded: URL(filePath: "/nowhere"))
        let given = try StubsFolder(FindingTests.checkout, environment: ["COUNTERFOIL_STUBS": "/nowhere"], embedded: nil)

        #expect(embedded.path.hasSuffix("_EmbeddedBanks.resources") || embedded.path.contains("_EmbeddedBanks.bundle"))
        #expect((named.path, given.path) == (checkout, checkout))
    }

    @Test func `every bank, dialect and outage of the checkout is embedded`() throws {
        func files(in folder: String) throws -> [String] {
            let files = FileManager.default
            return try files.contentsOfDirectory(atPath: folder).sorted().filter { $0 != "corpus" }.flatMap { name in
                var isFolder: ObjCBool = false
                guard files.fileExists(atPath: "\(folder)/\(name)", isDirectory: &isFolder), isFolder.boolValue else { return [String]() }
                return try files.subpathsOfDirectory(atPath: "\(folder)/\(name)").sorted().map { "\(name)/\($0)" }
            }
        }
        let embedded = try files(in: StubsFolder(nil, environment: [:]).path)

        #expect(embedded == (try files(in: FindingTests.checkout.path)))
        #expect(embedded.contains("roundup/bank.yaml"))
    }

    @Test(
        arguments: [
            (nil, [:], "found no folder /no/resources (the library's resources), expected"),
            (nil, ["COUNTERFOIL_STUBS": "/no/env"], "found no folder /no/env (COUNTERFOIL_STUBS), expected"),
            (URL(filePath: "/no/option"), [:], "found no folder /no/option (StubBankOptions.stubs), expected"),
        ] as [(URL?, [String: String], String)])
    func `a folder that is not there is reported`(_ given: URL?, _ environment: [String: String], _ expected: String) {
        let error = #expect(throws: StubBankError.self) {
            try StubsFolder(given, environment: environment, embedded: URL(filePath: "/no/resources"))
        }

        #expect(error?.code == .noStubs)
        #expect(error?.description.hasPrefix(expected) == true, "\(String(describing: error))")
    }

    @Test func `an unknown bank is reported with the nearest`() async throws {
        let error = await trouble { try await withStubBank("roundupp") { _ in } }

        #expect(error?.code == .unknownBank)
        #expect(error?.description.hasPrefix("found the bank \"roundupp\", expected berlin, bins, ") == true)
        #expect(error?.description.hasSuffix("did you mean `roundup`?") == true)
        #expect(error?.errorDescription == error?.description)
        let unserved = await trouble { try await withStubBanks(.login) { _ = try await $0.open("logn") } }
        #expect(unserved?.description == "found the bank \"logn\", expected login, which are served; did you mean `login`?")
    }

    @Test func `a bank of your own is served and a faulty one is reported with its positions`() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "counterfoil-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        func write(_ text: String, _ path: String) throws {
            let file = folder.appending(path: path)
            try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: file)
        }
        let shipped = try StubsFolder(nil, environment: [:]).path
        try write(try String(contentsOfFile: "\(shipped)/dialects/plain.yaml", encoding: .utf8), "dialects/plain.yaml")
        try write(
            """
            bank: corner
            about: One list.
            base: ""
            dialect: plain
            operations_of_a_client: [accounts]
            tables: {accounts: {file: accounts.json, key: id}}
            roles: {accounts: [accounts]}
            operations:
              accounts: {request: GET /accounts, open: true, reply: {accounts: {rows: accounts}}}

            """, "corner/bank.yaml")
        try write(#"[{"id": "till"}]"#, "corner/accounts.json")
        try write("bank: broken\nabuot: nothing\n", "broken/bank.yaml")
        let options = StubBankOptions(stubs: folder)

        let response = try await withStubBank("corner", options: options) { try await call($0, "accounts") }

        #expect((response.status, response.body) == (200, #"{"accounts":[{"id":"till"}]}"#))
        let error = await trouble { try await withStubBank("broken", options: options) { _ in } }
        #expect(error?.code == .invalidFiles)
        #expect(error?.description.contains("broken/bank.yaml:2:1: unknown key `abuot`") == true, "\(String(describing: error))")
    }
}
