import BankModel
import Contracts
import Foundation
import Platform
import Testing

@testable import CounterfoilCLI
@testable import Harness

/// A session whose case begins with a bank that cannot be reached, and the folder of a run.
@Suite struct ClosedPortTests {
    /// Whether a connection to the session's port is refused.
    private func isRefused(_ session: any TestSession) throws -> Bool {
        let port = try #require(URL(string: session.baseURL)?.port)
        let socket = try #require(StreamSocket.open())
        defer { close(socket.descriptor) }
        return !socket.connect(to: port) && errno == ECONNREFUSED
    }

    @Test func `a bank that refuses connections does so from the first moment`() async throws {
        let rejected = try await LoadedContracts.bins.serving([], seed: 7) { bank, _ in
            var rejected: [Bool] = []
            for number in 0..<40 {
                let session = try await bank.openSession(
                    SessionParameters(bank: "bins", name: "refusing-\(number)", seed: 7, isRefusing: true))
                rejected.append(try isRefused(session))
                await session.close()
            }
            return rejected
        }

        #expect(rejected == Array(repeating: true, count: 40))
    }

    @Test func `the folder of a run is its owner's alone, and TMPDIR names its location`() throws {
        let elsewhere = FileManager.default.temporaryDirectory.path
        for environment in [[:], ["TMPDIR": elsewhere]] {
            let folder = try ScratchFolder.make(environment)
            defer { try? FileManager.default.removeItem(at: folder) }
            #expect(FileStatus(folder.path)?.permissions == 0o700)
            if environment["TMPDIR"] != nil { #expect(folder.deletingLastPathComponent().standardizedFileURL.path == elsewhere) }
        }
        #expect(MemoryFiles.folder(free: .max) == nil)
    }
}
