import Contracts
import Foundation
import TestBanks
import Testing

@testable import Harness

/// Secrets in a client's files, and the files' modes, are found.
@Suite struct SecretScanTests {
    private static let token = "cf_s1?>~?>~0123456789"

    /// A token as programs write it, and what that is called.
    static let writings: [(String, [UInt8])] = {
        let bytes = Array(token.utf8)
        func base64(_ before: String) -> [UInt8] { Array(Data(Array(before.utf8) + bytes + Array("\"}".utf8)).base64EncodedString().utf8) }
        let url = base64("").map { $0 == UInt8(ascii: "+") ? UInt8(ascii: "-") : $0 == UInt8(ascii: "/") ? UInt8(ascii: "_") : $0 }
        let hex = bytes.map { String($0, radix: 16) }
        return [
            ("raw", bytes), ("base64", base64("")), ("base64", base64("{")), ("base64", base64("{\"")), ("base64url", url),
            ("hexadecimal", Array(hex.joined().utf8)), ("hexadecimal", Array(hex.joined().uppercased().utf8)),
            ("percent-encoded", hex.flatMap { Array("%\($0)".utf8) }),
            ("percent-encoded", hex.flatMap { Array("%\($0.uppercased())".utf8) }), ("UTF-16", bytes.flatMap { [$0, 0] }),
            ("UTF-16 big-endian", bytes.flatMap { [0, $0] }),
        ]
    }()

    @Test(arguments: writings.indices) func `a token is found however it is written`(index: Int) {
        let (encoding, written) = Self.writings[index]
        let scan = SecretScan(["token#1": Self.token, "token#2": "cf_s1_another_0123456"])

        let found = scan.find(in: Array("cfcf_s1".utf8) + written, .disk, "store", after: 3)

        #expect(found.contains { $0.token == "token#1" && $0.encoding == encoding }, "\(found)")
        #expect(found.allSatisfy { $0.token == "token#1" && $0.after == 3 && $0.path == "store" && $0.kind == .token })
    }

    @Test func `what only looks like it is not found`() {
        let scan = SecretScan(["token#1": Self.token], data: ["name#1": "Ava", "note#1": "Corner café"])
        let bytes = Array((String(Self.token.dropLast()) + " Ava Corner caf").utf8)

        #expect(scan.find(in: bytes, .log, "stderr", after: 1).isEmpty)
        #expect(scan.find(in: [], .log, "stderr", after: 1).isEmpty)
        #expect(scan.find(in: Array("…Corner café".utf8), .log, "stderr", after: 1).map(\.token) == ["note#1"])
    }

    @Test(arguments: [
        "grant=password&password=p%40ss%20word!1&login=ava", "password=p%40ss+word%211", "password=p@ss+word!1",
        #"{"password": "p@ss\u0020word!1"}"#, "p%40ss word!1 p%4", "100%: p%40ss word!1",
    ])
    func `a password is found in a form of which only some characters are escaped`(text: String) {
        let scan = SecretScan([:], passwords: ["password#1": "p@ss word!1", "password#2": "p@ss word!2"])

        let found = scan.find(in: Array(text.utf8), .disk, "store", after: 3)

        #expect(found.map(\.token) == ["password#1"])
        #expect(found.map(\.encoding) == ["with escapes"] && found.map(\.kind) == [.password])
    }

    @Test(arguments: [("password", 0), ("correct-password", 1)])
    func `a password that is the name of one occurs by chance`(password: String, count: Int) {
        let scan = SecretScan([:], passwords: ["password#1": password])

        #expect(scan.find(in: Array(#"{"correct-password": null}"#.utf8), .disk, "store", after: 3).count == count)
    }

    /// Shorter ones would be found by chance.
    @Test(arguments: [("s3cret1", 0), ("s3cret12", 1)])
    func `a secret of fewer than eight characters is not searched for`(secret: String, count: Int) {
        let bytes = Array("password=\(secret)&login=ava".utf8)
        let passwords = SecretScan([:], passwords: ["password#1": secret])
        let tokens = SecretScan(["token#1": secret])

        #expect(passwords.find(in: bytes, .disk, "store", after: 3).count == count)
        #expect(tokens.find(in: bytes, .disk, "store", after: 3).count == count)
    }

    @Test func `a password that is there as it is, is found once`() {
        let scan = SecretScan([:], passwords: ["password#1": "p@ss word!1"])

        #expect(scan.find(in: Array("p%40ss%20word!1 p@ss word!1".utf8), .disk, "store", after: 3).map(\.encoding) == ["raw"])
        #expect(scan.find(in: Array("p%40ss%20word%2".utf8), .disk, "store", after: 3).isEmpty)
    }

    @Test func `an ID token is found by its beginning`() {
        let scan = SecretScan([:], idTokens: ["id_token#1": "eyJhbGciOiJFUzI1NiJ9"])

        let found = scan.find(in: Array(#"{"id_token":"eyJhbGciOiJFUzI1NiJ9.e30.c2ln"}"#.utf8), .disk, "session.json", after: 3)

        #expect(found.map(\.token) == ["id_token#1"] && found.map(\.kind) == [.idToken])
        #expect(scan.find(in: Array("eyJhbGciOiJFUzI1Ni".utf8), .disk, "session.json", after: 3).isEmpty)
    }

    /// Runs a test with a folder that holds these files, the folders' modes and the files' being set.
    private func withFiles(_ files: [(path: String, mode: Int)], folders: [(path: String, mode: Int)], _ test: (URL) throws -> Void) throws
    {
        let home = try TestFolder()
        defer { home.remove() }
        let root = home.url
        for (path, _) in folders {
            try FileManager.default.createDirectory(at: root.appending(path: path), withIntermediateDirectories: true)
        }
        for (path, mode) in files {
            try Data("0123456789abcdef-".utf8).write(to: root.appending(path: path))
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: root.appending(path: path).path)
        }
        for (path, mode) in folders {
            try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: root.appending(path: path).path)
        }
        try test(root)
    }

    @Test func `a folder shuts out whom it does not let in`() throws {
        let files = [("a", 0o604), ("own/b", 0o666), ("group/c", 0o666), ("all/d", 0o644), ("all/own/e", 0o644), ("read/f", 0o666)]
        let folders = [("own", 0o700), ("group", 0o750), ("all", 0o711), ("all/own", 0o700), ("read", 0o744)]

        try withFiles(files, folders: folders) { root in
            let kept = KeptFiles(below: root)
            let modes = files.map { path, _ in kept.mode(of: path).map { String($0, radix: 8) } }

            #expect(modes == ["604", "600", "660", "644", "600", "600"])
            #expect(kept.mode(of: "own") == nil)
            #expect(kept.mode(of: "missing") == nil)
        }
    }

    @Test func `damage changes the first byte and every eighth of every file`() throws {
        try withFiles([("a", 0o600), ("deep/b", 0o600)], folders: [("deep", 0o700)]) { root in
            try Data().write(to: root.appending(path: "empty"))
            try Data("x".utf8).write(to: root.appending(path: "one"))

            #expect(DiskDamage(below: root).apply() == 3)

            let whole = Array("0123456789abcdef-".utf8)
            for path in ["a", "deep/b"] {
                let bytes = Array(try Data(contentsOf: root.appending(path: path)))
                try #require(bytes.count == whole.count)
                #expect(whole.indices.filter { bytes[$0] != whole[$0] } == [0, 8, 16])
            }
            #expect(try Data(contentsOf: root.appending(path: "one")) != Data("x".utf8))
        }
    }

    @Test(.timeLimit(.minutes(10))) func `damage leaves pipes and the targets of links alone`() throws {
        try withFiles([("target", 0o600), ("kept/a", 0o600)], folders: [("kept", 0o700)]) { root in
            let kept = root.appending(path: "kept")
            try #require(mkfifo(kept.appending(path: "pipe").path, 0o600) == 0)
            try FileManager.default.createSymbolicLink(atPath: kept.appending(path: "link").path, withDestinationPath: "../target")

            #expect(DiskDamage(below: kept).apply() == 1)
            #expect(try String(contentsOf: root.appending(path: "target"), encoding: .utf8) == "0123456789abcdef-")
        }
    }
}

/// The inbox hands each driver message to its waiter.
@Suite struct DriverInboxTests {
    private let line = #"{"t":"result","case":"c1","n":1,"outcome":"ok","view":{}}"#

    @Test func `an answer that comes after it was given up is passed over once`() async {
        let inbox = DriverInbox(clock: ContinuousClock())
        inbox.ask(.result("c1", 1))

        let fault = await #expect(throws: DriverFault.self) { try await inbox.wait(for: .result("c1", 1), within: .milliseconds(1)) }

        #expect(fault == .hung(.milliseconds(1)))
        #expect(inbox.take(line: line))
        #expect(inbox.breach == nil)
        #expect(!inbox.take(line: line))
        #expect(inbox.breach != nil)
    }

    @Test func `a log whose beginning was dropped is not called clean`() throws {
        let tail = StderrTail()
        for _ in 0..<9 { tail.append(Array(repeating: 0x20, count: 1 << 20)) }

        let (bytes, dropped) = tail.since(0)

        #expect(dropped == 9 << 20 - bytes.count)
        #expect(dropped > 0)
        #expect(bytes.count >= 4 << 20)
        #expect(tail.since(8 << 20).dropped == 0)
    }
}
