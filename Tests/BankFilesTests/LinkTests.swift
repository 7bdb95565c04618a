import BankFiles
import BankModel
import Contracts
import Foundation
import TestBanks
import Testing

/// Banks on the disk whose folder contains something other than their regular files.
@Suite struct LinkTests {
    /// A project with the test bank in a new folder, for one test.
    private func withBank(_ test: (_ folder: String, _ library: BankLibrary) throws -> Void) throws {
        let root = try TestFolder()
        defer { root.remove() }
        let pictures = "  pictures: {request: \"GET /pictures/{name}\", open: true, reply: {files: pictures, name: {path: name}}}\n"
        var files = TestFiles().replacing("till/bank.yaml", "  elsewhere:", with: pictures + "  elsewhere:").files
        files["till/pictures/coin.png"] = "coin"
        files["../Contracts/empty.yaml"] = "contract: 1\nsuite: empty\ncases: []\n"
        for (path, text) in files { try root.write(text, to: "Stubs/\(path)") }
        try test(root.path, BankLibrary(folder: "\(root.path)/Stubs"))
    }

    private func complaints(_ library: BankLibrary) -> [String] {
        do throws(ComplaintsError) {
            _ = try library.load("till")
            return []
        } catch {
            return error.complaints.map(\.description)
        }
    }

    @Test(.timeLimit(.minutes(10)), arguments: ["bank.yaml", "accounts.json"])
    func `a pipe is not a file and does not block`(_ name: String) throws {
        try withBank { root, library in
            let path = "\(root)/Stubs/till/\(name)"
            try FileManager.default.removeItem(atPath: path)
            try #require(mkfifo(path, 0o600) == 0)

            let complaints = complaints(library)
            #expect(complaints.contains { $0.contains(name) && $0.contains("file") }, "\(complaints)")
        }
    }

    @Test func `a link out of the bank's folder is rejected`() throws {
        try withBank { root, library in
            let path = "\(root)/Stubs/till/accounts.json"
            try FileManager.default.moveItem(atPath: path, toPath: "\(root)/elsewhere.json")
            try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: "../../elsewhere.json")

            #expect(complaints(library) == ["\(path): found a link that leads out of \(root)/Stubs/till, expected a file in it"])
        }
    }

    /// Every complaint about a project: its banks, dialects, outages, corpus and contracts.
    private func allComplaints(_ root: String, _ library: BankLibrary) -> [String] {
        let complaints = Complaints()
        library.check().complaints.forEach(complaints.add)
        _ = library.plans.check(complaints)
        let contracts = ContractFiles(folder: URL(filePath: "\(root)/Contracts"), stubs: URL(filePath: library.folder))
        _ = contracts.suites(complaints)
        _ = contracts.invariants(complaints)
        _ = contracts.bugs(complaints)
        #expect(contracts.judging.allSatisfy { !String(decoding: $0.bytes, as: UTF8.self).contains("secret") })
        return complaints.all.map(\.description)
    }

    /// The files of a project, each of which may come from elsewhere.
    private static let files = [
        "Stubs/till/bank.yaml", "Stubs/till/expected.yaml", "Stubs/till/accounts.json", "Stubs/till/document.json",
        "Stubs/till/pictures/x.png",
        "Stubs/dialects/x.yaml", "Stubs/outages/x.yaml", "Stubs/corpus/bodies/x.json", "Contracts/x.yaml", "Contracts/invariants.yaml",
        "Contracts/bugs.yaml",
    ]

    /// Replaces a file of a project, and complains of what it is now.
    ///
    /// - Parameter make: makes the file at the path; `elsewhere` is a file beside the project's folders.
    /// - Returns: the complaints that name the file, without its path.
    private func complaints(about file: String, _ make: (_ path: String, _ elsewhere: String) throws -> Void) throws -> [String] {
        var complaints: [String] = []
        try withBank { root, library in
            let elsewhere = "\(root)/elsewhere"
            try Data("secret: root:x:0:0\n".utf8).write(to: URL(filePath: elsewhere))
            let path = "\(root)/\(file)"
            try FileManager.default.createDirectory(
                at: URL(filePath: path).deletingLastPathComponent(), withIntermediateDirectories: true)
            try? FileManager.default.removeItem(atPath: path)
            try make(path, elsewhere)

            let all = allComplaints(root, library)
            #expect(!all.contains { $0.contains("secret") || $0.contains("root:x") }, "\(all)")
            complaints = all.filter { $0.hasPrefix(path) }.map { $0.replacing(root, with: "") }
        }
        return complaints
    }

    @Test(arguments: files) func `a link out of the project is rejected and nothing behind it is shown`(_ file: String) throws {
        let complaints = try complaints(about: file) { path, elsewhere in
            try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: elsewhere)
        }
        let folder = file.hasPrefix("Stubs/till/") ? "/Stubs/till" : file.hasPrefix("Stubs/") ? "/Stubs" : "/Contracts"

        #expect(complaints == ["/\(file): found a link that leads out of \(folder), expected a file in it"])
    }

    @Test(arguments: ["Stubs/dialects", "Stubs/outages", "Stubs/corpus/bodies"])
    func `a link of a folder out of the project is rejected`(_ folder: String) throws {
        let complaints = try complaints(about: folder) { path, elsewhere in
            try FileManager.default.createDirectory(atPath: elsewhere + "-folder", withIntermediateDirectories: true)
            try FileManager.default.copyItem(atPath: elsewhere, toPath: elsewhere + "-folder/x.yaml")
            try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: elsewhere + "-folder")
        }

        #expect(complaints == ["/\(folder)/x.yaml: found a link that leads out of /Stubs, expected a file in it"])
    }

    @Test(.timeLimit(.minutes(10)), arguments: files) func `a pipe is rejected by name`(_ file: String) throws {
        let complaints = try complaints(about: file) { path, _ in try #require(mkfifo(path, 0o600) == 0) }

        #expect(complaints == ["/\(file): found a pipe, expected a regular file"])
    }

    @Test(.timeLimit(.minutes(10)), arguments: files) func `a file that is too large is rejected before it is read`(_ file: String) throws {
        let complaints = try complaints(about: file) { path, elsewhere in
            try FileManager.default.copyItem(atPath: elsewhere, toPath: path)
            try #require(truncate(path, 1 << 40) == 0)
        }
        let limit = file.hasSuffix(".yaml") ? "4,194,304" : file.hasSuffix("accounts.json") ? "4,294,967,296" : "67,108,864"

        #expect(complaints == ["/\(file): found a file of 1,099,511,627,776 bytes, expected at most \(limit)"])
    }

    @Test func `a link within it and a link to the whole bank are taken`() throws {
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
