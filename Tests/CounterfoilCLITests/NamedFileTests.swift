import BankImport
import BankModel
import Contracts
import Foundation
import Platform
import TestBanks
import Testing

@testable import CounterfoilCLI

/// Files that a user names: links and pipes too, but not without a limit.
@Suite(.timeLimit(.minutes(10))) struct NamedFileTests {
    @Test func `a link is read`() throws {
        try inFolder { path in
            try Data("fault: hang\n".utf8).write(to: URL(filePath: path + "/rule.yaml"))
            try FileManager.default.createSymbolicLink(atPath: path + "/link", withDestinationPath: "rule.yaml")

            #expect(try RuleText(path + "/link").yaml == "fault: hang\n")
        }
    }

    @Test func `a file of authorities is a regular file with a certificate`() throws {
        try inFolder { path in
            try Data("-----BEGIN CERTIFICATE-----\n".utf8).write(to: URL(filePath: path + "/ca.pem"))
            try FileManager.default.createSymbolicLink(atPath: path + "/link", withDestinationPath: "ca.pem")
            try Data("-----BEGIN PRIVATE KEY-----\n".utf8).write(to: URL(filePath: path + "/key.pem"))
            try #require(mkfifo(path + "/pipe", 0o600) == 0)

            #expect(throws: Never.self) { try AuthoritiesFile.check(path + "/link") }
            let flaws = [
                "key.pem": "found no certificate, expected a PEM file of trusted authorities",
                "missing": "found no file, expected a PEM file of trusted authorities",
                "pipe": "found a pipe, expected a regular file", ".": "found a folder, expected a regular file",
            ]
            for (name, flaw) in flaws {
                let error = #expect(throws: UsageError.self) { try AuthoritiesFile.check("\(path)/\(name)") }
                #expect(error?.description == "cannot read --ca-file \(path)/\(name): \(flaw)")
            }
            let error = #expect(throws: UsageError.self) { try AuthoritiesFile.check("\(path)/pipe", of: "--provider-ca") }
            #expect(error?.description == "cannot read --provider-ca \(path)/pipe: found a pipe, expected a regular file")
        }
    }

    @Test func `a pipe is read to its end`() throws {
        let pipe = Pipe()
        try pipe.fileHandleForWriting.write(contentsOf: Data("fault: hang\n".utf8))
        try pipe.fileHandleForWriting.close()

        #expect(try RuleText("/dev/fd/\(pipe.fileHandleForReading.fileDescriptor)").yaml == "fault: hang\n")
    }

    @Test func `a file is rejected by its size before it is read`() throws {
        try inFolder { path in
            let file = path + "/large"
            try Data("secret".utf8).write(to: URL(filePath: file))
            try #require(truncate(file, 1 << 40) == 0)
            let found = "found a file of 1,099,511,627,776 bytes, expected at most"

            let rule = #expect(throws: UsageError.self) { try RuleText(file) }
            #expect(rule?.description == "cannot read \(file): \(found) 4,194,304")
            let report = #expect(throws: ComplaintsError.self) { try FiledReport(reading: file) }
            #expect(report?.description == "\(file): \(found) 268,435,456")
            let source = #expect(throws: ComplaintsError.self) { try ImportFile(named: file, expected: "a pact") }
            #expect(source?.description == "\(file): \(found) 67,108,864")
            let api = #expect(throws: ComplaintsError.self) { try DescriptionFiles(file).description() }
            #expect(api?.description == "\(file): \(found) 67,108,864")
        }
    }

    /// As the shell of Windows writes it.
    @Test func `a file in UTF-16 is named as such`() throws {
        try inFolder { path in
            let file = path + "/utf16"
            try Data([0xFF, 0xFE, 0x61, 0x00]).write(to: URL(filePath: file))
            let message = "found UTF-16, expected UTF-8 (`iconv -f UTF-16 -t UTF-8` converts it)"

            let rule = #expect(throws: UsageError.self) { try RuleText(file) }
            #expect(rule?.description == "cannot read \(file): \(message)")
            let api = #expect(throws: ComplaintsError.self) { try DescriptionFiles(file).description() }
            #expect(api?.description == "\(file): \(message)")
        }
    }

    @Test func `an endless device is read up to the limit only`() {
        #expect(throws: UnreadFile.tooLarge(bytes: nil, .settings)) { try Disk.bytes(named: "/dev/zero", .settings) }
        #expect(
            UnreadFile.tooLarge(bytes: nil, .settings).message(expected: "a rule")
                == "found more than 4,194,304 bytes, expected at most 4,194,304")
    }

    @Test func `a folder and a missing file are named`() throws {
        try inFolder { path in
            #expect(throws: UnreadFile.special(.folder)) { try Disk.bytes(named: path, .data) }
            #expect(throws: UnreadFile.system(ENOENT)) { try Disk.bytes(named: path + "/none", .data) }
            #expect(UnreadFile.system(ENOENT).message(expected: "a pact") == "found no file, expected a pact")
            #expect(
                UnreadFile.system(EACCES).message(expected: "a pact")
                    == "found a file that cannot be read (Permission denied), expected a pact")
        }
    }

    @Test(arguments: [(0, "0"), (999, "999"), (1000, "1,000"), (4_194_304, "4,194,304"), (1 << 40, "1,099,511,627,776")])
    func `numbers are grouped by three digits`(number: Int64, text: String) {
        #expect(grouped(number) == text)
    }
}
