import Contracts
import Foundation
import Platform
import TestBanks
import Testing

@testable import Harness

/// The search for secrets in a client's folder reads regular files of that folder only, and reports the others.
@Suite(.timeLimit(.minutes(10))) struct SearchedFolderTests {
    private static let token = "cf_s1_0_0123456789abcdef"

    /// Searches a folder that the body fills, with files beside it that a client has no business with.
    private func search(_ fill: (_ folder: URL) throws -> Void) throws -> SearchedFolder {
        let root = try TestFolder()
        defer { root.remove() }
        try root.write(Self.token, to: "beside")
        let folder = root.url.appending(path: "state")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        try fill(folder)
        return SearchedFolder(folder, for: SecretScan(["token#1": Self.token]), after: 3)
    }

    /// A file of that size without blocks on the disk, which begins with the token.
    private func sparse(_ file: URL, bytes: off_t) throws {
        try Data(Self.token.utf8).write(to: file)
        try #require(truncate(file.path, bytes) == 0)
    }

    @Test func `a pipe and socket are reported and hide nothing`() throws {
        let searched = try search { folder in
            try #require(mkfifo(folder.appending(path: "pipe").path, 0o600) == 0)
            try Data(Self.token.utf8).write(to: folder.appending(path: "store"))
        }

        #expect(searched.foundSecrets.map(\.path) == ["store"])
        #expect(
            searched.unsearched == [Evidence.Unsearched(path: "pipe", reason: "a pipe", mayHoldSecret: false, after: 3)])
    }

    @Test func `a link is not followed and one that leads out is reported`() throws {
        let searched = try search { folder in
            try FileManager.default.createDirectory(at: folder.appending(path: "deep"), withIntermediateDirectories: true)
            try Data("x".utf8).write(to: folder.appending(path: "deep/own"))
            for (name, target) in [
                ("inside", "deep/own"), ("out", "../beside"), ("device", "/dev/zero"), ("nowhere", "none"), ("loop", "loop"),
            ] {
                try FileManager.default.createSymbolicLink(atPath: folder.appending(path: name).path, withDestinationPath: target)
            }
        }

        #expect(searched.foundSecrets.isEmpty)
        #expect(searched.unsearched.map(\.path) == ["device", "out"])
        #expect(searched.unsearched.map(\.mayHoldSecret) == [false, true])
        #expect(searched.unsearched.allSatisfy { $0.reason == "a link that leads out of the client's folder" })
    }

    @Test func `the beginning of a huge file is searched and the rest reported`() throws {
        let searched = try search { folder in try sparse(folder.appending(path: "huge"), bytes: 1 << 40) }

        #expect(searched.foundSecrets.map(\.path) == ["huge"])
        #expect(
            searched.unsearched.map(\.text)
                == ["huge: a file of 1,099,511,627,776 bytes, of which the first 67,108,864 were searched"])
        #expect(searched.unsearched.map(\.mayHoldSecret) == [true])
    }

    @Test func `all files together are bounded`() throws {
        let searched = try search { folder in
            for name in "abcdef" { try sparse(folder.appending(path: "\(name)"), bytes: off_t(InputLimit.searchedFile.bytes)) }
        }

        #expect(searched.foundSecrets.map(\.path) == ["a", "b", "c", "d"])
        #expect(searched.unsearched.map(\.path) == ["e", "f"])
        #expect(searched.unsearched.first?.reason == "a file of 67,108,864 bytes, of which the first 0 were searched")
    }

    @Test func `a client that makes a pipe gets its verdict and the report names the pipe`() async throws {
        let report = try await DriverTroubleTests.run("makes-pipe")

        let result = try #require(report.results.first)
        #expect(result.judgement.verdict == .pass, "\(result.judgement)")
        #expect(
            report.document.results.first?.unsearched
                == ["outside: a link that leads out of the client's folder", "pipe: a pipe"])
        #expect(report.document.terminalText(Demands()).contains("not searched for secrets in 1 result: outside: a link that leads out"))
    }
}
