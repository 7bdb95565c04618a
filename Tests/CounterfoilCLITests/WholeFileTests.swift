import BankModel
import Foundation
import TestBanks
import Testing

@testable import CounterfoilCLI

/// The output files of commands.
@Suite struct WholeFileTests {
    @Test func `the name of staged files ends in 16 digits, each of them random`() throws {
        let beginning = "out.importing-\(getpid())-"
        var endings: [[Character]] = []
        for _ in 0..<16 {
            let place = try StagedFiles.beside("out", "importing") { staged throws(ComplaintsError) in staged }
            try #require(place.hasPrefix(beginning))
            endings.append(Array(place.dropFirst(beginning.count)))
        }

        try #require(endings.allSatisfy { $0.count == 16 })
        // A counter or the time would leave some of them equal. By chance that happens once in 16^14 runs.
        for position in 0..<16 { #expect(Set(endings.map { $0[position] }).count > 1, "digit \(position)") }
    }

    @Test func `a file is replaced whole, and keeps who may read it`() throws {
        try inFolder { folder in
            let path = folder + "/report"
            try Data("old and long".utf8).write(to: URL(filePath: path))
            chmod(path, 0o640)

            try WholeFile(path).write("new")

            #expect(try text(path) == "new")
            #expect(try mode(path) == 0o640)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["report"])
        }
    }

    @Test func `a private file is its owner's alone, whatever it was before`() throws {
        try inFolder { folder in
            let path = folder + "/journal"
            try Data("old".utf8).write(to: URL(filePath: path))
            chmod(path, 0o644)

            try WholeFile(path, isPrivate: true).write("new")

            #expect(try mode(path) == 0o600)
        }
    }

    @Test func `a link stays a link: what it leads to is written`() throws {
        try inFolder { folder in
            symlink("real", folder + "/link")

            try WholeFile(folder + "/link").write("new")

            #expect(try FileManager.default.destinationOfSymbolicLink(atPath: folder + "/link") == "real")
            #expect(try text(folder + "/real") == "new")
        }
    }

    @Test func `a private file behind a link is its owner's alone`() throws {
        try inFolder { folder in
            try Data("old".utf8).write(to: URL(filePath: folder + "/real"))
            chmod(folder + "/real", 0o644)
            symlink("real", folder + "/link")

            try WholeFile(folder + "/link", isPrivate: true).write("new")

            #expect(try text(folder + "/real") == "new")
            #expect(try mode(folder + "/real") == 0o600)
        }
    }

    @Test func `a pipe stays a pipe, as a device stays one: the text goes into it`() throws {
        try inFolder { folder in
            let path = folder + "/pipe"
            mkfifo(path, 0o600)
            let reader = open(path, O_RDWR | O_NONBLOCK)
            defer { close(reader) }
            try #require(reader >= 0)

            try WholeFile(path).write("new")

            var bytes = [UInt8](repeating: 0, count: 16)
            let count = read(reader, &bytes, bytes.count)
            #expect(String(decoding: bytes.prefix(max(count, 0)), as: UTF8.self) == "new")
        }
    }

    @Test func `a place that takes no file is reported in the system's words, before a run as after it`() throws {
        try inFolder { folder in
            let missing = WholeFile(folder + "/none/report")

            let missingErrors = [
                rejection { () throws(FileError) in try missing.check() }, rejection { () throws(FileError) in try missing.write("x") },
            ]
            let folderErrors = [
                rejection { () throws(FileError) in try WholeFile(folder).check() },
                rejection { () throws(FileError) in try WholeFile(folder).write("x") },
            ]
            let none = rejection { () throws(FileError) in try WholeFile(folder + "/report").check() }

            #expect(missingErrors == Array(repeating: "cannot write \(missing.path): No such file or directory", count: 2))
            #expect(folderErrors == Array(repeating: "cannot write \(folder): Is a directory", count: 2))
            #expect(none == nil)
            let left = try FileManager.default.contentsOfDirectory(atPath: folder)
            #expect(left.isEmpty)
        }
    }

    @Test func `a file that the command reads is rejected as an output, by whatever name`() throws {
        try inFolder { folder in
            let (input, link, new) = (folder + "/bad.har", folder + "/link", folder + "/new")
            try WholeFile(input).write("{}")
            try #require(symlink(input, link) == 0)
            func found(_ path: String) -> String? {
                rejection { () throws(FileError) in try WholeFile(path).check(isNoneOf: [input, new, "/dev/null"]) }
            }

            for path in [input, link, folder + "/./bad.har", new] {
                #expect(found(path) == "cannot write \(path): the command reads this file, expected another one")
            }
            for path in [folder + "/other", "/dev/null"] { #expect(found(path) == nil) }
        }
    }

    @Test func `Foundation's errors are reported with the system's message`() throws {
        try inFolder { folder in
            var reason = ""
            do {
                _ = try Data(contentsOf: URL(filePath: folder + "/none"))
            } catch {
                reason = error.plainReason
            }

            #expect(reason == "No such file or directory")
        }
    }

    private func rejection(_ work: () throws(FileError) -> Void) -> String? {
        do throws(FileError) {
            try work()
            return nil
        } catch {
            return error.description
        }
    }

    private func text(_ path: String) throws -> String { String(decoding: try Data(contentsOf: URL(filePath: path)), as: UTF8.self) }

    private func mode(_ path: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions].flatMap { $0 as? Int }
    }
}
