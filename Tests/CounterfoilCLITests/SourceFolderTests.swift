import BankImport
import BankModel
import Foundation
import TestBanks
import Testing

@testable import CounterfoilCLI

/// Folders of other tools that are read for an import.
@Suite struct SourceFolderTests {
    private func withFolder(_ test: (_ path: String) throws -> Void) throws {
        let folder = try TestFolder()
        defer { folder.remove() }
        try folder.write("{}", to: "wiremock/mappings/one.json")
        try test(folder.path)
    }

    @Test(arguments: ["/etc", "/etc/hostname", "../.."])
    func `a link that leads out is rejected`(_ target: String) throws {
        try withFolder { path in
            try FileManager.default.createSymbolicLink(atPath: path + "/wiremock/mappings/out", withDestinationPath: target)

            let error = #expect(throws: ComplaintsError.self) { try SourceFolder(path: path + "/wiremock").files() }
            #expect(error?.description.contains("found a link that leads out of") == true)
        }
    }

    @Test func `a link within is read`() throws {
        try withFolder { path in
            try FileManager.default.createSymbolicLink(atPath: path + "/wiremock/mappings/two.json", withDestinationPath: "one.json")
            try FileManager.default.createSymbolicLink(atPath: path + "/link", withDestinationPath: "wiremock")

            #expect(try SourceFolder(path: path + "/link").files().map(\.path) == ["mappings/one.json", "mappings/two.json"])
        }
    }

    @Test(.timeLimit(.minutes(10))) func `a pipe does not block the reader`() throws {
        try withFolder { path in
            try #require(mkfifo(path + "/wiremock/mappings/pipe.json", 0o600) == 0)

            #expect(throws: ComplaintsError.self) { try SourceFolder(path: path + "/wiremock").files() }
        }
    }
}
