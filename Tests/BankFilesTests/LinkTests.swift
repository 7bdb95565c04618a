import BankFiles
import BankModel
import Foundation
import TestBanks
import Testing

/// Banks on the disk whose folder contains something other than regular files of their own.
@Suite struct LinkTests {
    /// The test bank in a folder of its own, for one test.
    private func withBank(_ test: (_ folder: String, _ library: BankLibrary) throws -> Void) throws {
        let root = NSTemporaryDirectory() + "counterfoil-links-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: root) }
        for (path, text) in TestFiles.till {
            let file = URL(filePath: "\(root)/Stubs/\(path)")
            try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(text.utf8).write(to: file)
        }
        try test(root, BankLibrary(folder: "\(root)/Stubs"))
    }

    private func complaints(_ library: BankLibrary) -> [String] {
        do throws(ComplaintsError) {
            _ = try library.load("till")
            return []
        } catch {
            return error.complaints.map(\.description)
        }
    }

    @Test(.timeLimit(.minutes(1)), arguments: ["bank.yaml", "accounts.json"])
    func aPipeIsNotAFileAndDoesNotBlock(_ name: String) throws {
        try withBank { root, library in
            let path = "\(root)/Stubs/till/\(name)"
            try FileManager.default.removeItem(atPath: path)
            try #require(mkfifo(path, 0o600) == 0)

            let complaints = complaints(library)
            #expect(complaints.contains { $0.contains(name) && $0.contains("file") }, "\(complaints)")
        }
    }

    @Test func aLinkOutOfTheBanksFolderIsRefused() throws {
        try withBank { root, library in
            let path = "\(root)/Stubs/till/accounts.json"
            try FileManager.default.moveItem(atPath: path, toPath: "\(root)/elsewhere.json")
            try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "../../elsewhere.json")

            #expect(complaints(library).contains { $0.contains("accounts.json: found a link that leads out of \(root)/Stubs/till") })
        }
    }

    @Test func aLinkWithinItAndALinkToTheWholeBankAreTaken() throws {
        try withBank { root, library in
            let path = "\(root)/Stubs/till"
            try FileManager.default.moveItem(atPath: "\(path)/accounts.json", toPath: "\(path)/own.json")
            try FileManager.default.createSymbolicLink(atPath: "\(path)/accounts.json", withDestinationPath: "own.json")
            #expect(complaints(library) == [])

            try FileManager.default.moveItem(atPath: path, toPath: "\(root)/mine")
            try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "../mine")
            #expect(complaints(library) == [])
        }
    }
}
