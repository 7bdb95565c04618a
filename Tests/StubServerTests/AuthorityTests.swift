import BankModel
import Foundation
import Testing

@testable import BankEngine
@testable import StubServer

/// The folder of a user's certificate authority.
@Suite struct AuthorityTests {
    private let now = MachineClock.system.now()

    /// A folder that does not exist yet, and is removed afterwards.
    private func withFolder(_ test: (AuthorityFolder) async throws -> Void) async throws {
        let root = FileManager.default.temporaryDirectory.appendingPathComponent("counterfoil-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: root) }
        try await test(AuthorityFolder(root.path + "/state/authority"))
    }

    private func mode(_ path: String) throws -> Int {
        try #require(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int)
    }

    @Test func `it is made once and only its owner reads the key`() async throws {
        try await withFolder { folder in
            let first = try folder.authority(at: now)
            let second = try folder.authority(at: now)

            #expect(first.pem == second.pem)
            #expect(try mode(folder.path) == 0o700)
            #expect(try mode(folder.path + "/authority.pem") == 0o600)
            #expect(try mode(folder.certificatePath) == 0o644)
            #expect(try String(contentsOfFile: folder.certificatePath, encoding: .utf8).contains("PRIVATE") == false)
        }
    }

    @Test func `a relative folder is made below the current one`() throws {
        let name = "counterfoil-authority-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: name) }

        _ = try AuthorityFolder(name).authority(at: now)

        #expect(try mode(name) == 0o700)
    }

    @Test func `first uses at once end with one authority`() async throws {
        try await withFolder { folder in
            let now = now
            let made = try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 0..<8 { group.addTask { try folder.authority(at: now).pem } }
                return try await group.reduce(into: Set<String>()) { $0.insert($1) }
            }

            #expect(made.count == 1)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == ["authority.pem", "ca.pem"])
        }
    }

    @Test func `a key that others may read is rejected`() async throws {
        try await withFolder { folder in
            _ = try folder.authority(at: now)
            try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: folder.path + "/authority.pem")

            let error = #expect(throws: AuthorityError.self) { try folder.authority(at: now) }
            #expect(error?.description.contains("mode 640") == true)
            #expect(error?.description.contains(folder.path) == true)
        }
    }

    @Test(arguments: ["", "no PEM", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"])
    func `a broken file is rejected and kept`(text: String) async throws {
        try await withFolder { folder in
            _ = try folder.authority(at: now)
            let path = folder.path + "/authority.pem"
            try text.write(toFile: path, atomically: false, encoding: .utf8)

            let error = #expect(throws: AuthorityError.self) { try folder.authority(at: now) }
            #expect(error?.description.contains("delete it") == true)
            #expect(try String(contentsOfFile: path, encoding: .utf8) == text)
        }
    }

    @Test func `the certificate of another key is rejected`() async throws {
        try await withFolder { folder in
            _ = try folder.authority(at: now)
            let path = folder.path + "/authority.pem"
            let text = try String(contentsOfFile: path, encoding: .utf8)
            let key = text[..<(try #require(text.firstRange(of: "-----BEGIN CERTIFICATE"))).lowerBound]
            try (key + CertificateAuthority.make(named: "Another", at: now).pem).write(toFile: path, atomically: false, encoding: .utf8)

            let error = #expect(throws: AuthorityError.self) { try folder.authority(at: now) }
            #expect(error?.description.contains("no readable key and certificate") == true)
        }
    }

    @Test func `an authority that is over is rejected`() async throws {
        try await withFolder { folder in
            _ = try folder.authority(at: now)

            #expect(throws: AuthorityError.self) { try folder.authority(at: now + .seconds(86_400 * 3651)) }
        }
    }

    @Test func `an authority for all names or for others is rejected`() async throws {
        try await withFolder { folder in
            _ = try folder.authority(for: ["192.168.1.20", "bank.test"], at: now)

            #expect(throws: Never.self) { try folder.authority(at: now) }
            #expect(throws: Never.self) { try folder.authority(for: ["0.0.0.0"], at: now) }
            #expect(throws: Never.self) { try folder.authority(for: ["bank.test"], at: now) }
            for host in ["192.168.1.21", "example.com", "test", "2001:db8::1"] {
                let error = #expect(throws: AuthorityError.self) { try folder.authority(for: [host], at: now) }
                #expect(error?.description.contains(host) == true)
                #expect(error?.description.contains("delete it") == true)
            }
        }
    }

    @Test func `a file that takes only part of the bytes is reported and closed`() throws {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        defer { close(ends[0]) }
        for end in ends {
            _ = fcntl(end, F_SETFL, O_NONBLOCK)
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
        }

        let fault = AuthorityFolder.fill(ends[1], [UInt8](repeating: 0, count: 1 << 22), mode: 0o600)

        #expect(fault ?? 0 != 0)
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        var count = read(ends[0], &bytes, bytes.count)
        while count > 0 { count = read(ends[0], &bytes, bytes.count) }
        // EAGAIN: somebody can still write. A process that another test starts has a copy of the writer, but only until its program runs.
        var hangsUp = pollfd(fd: ends[0], events: Int16(POLLIN), revents: 0)
        if count < 0, poll(&hangsUp, 1, 30_000) > 0 { count = read(ends[0], &bytes, bytes.count) }
        #expect(count == 0)
    }
}
