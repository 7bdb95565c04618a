import Platform
import Testing

@testable import CounterfoilCLI

/// The folder of keys and tokens is never in the working directory.
@Suite struct UserFolderTests {
    private func path(_ environment: [String: String], account: String? = nil) -> String? {
        UserFolder.path(accountHome: account) { environment[$0] }
    }

    @Test func `the environment names the folder`() {
        #expect(path(["COUNTERFOIL_HOME": "/own", "HOME": "/home/ava"]) == "/own")
        #expect(path(["HOME": "/home/ava"]) == "/home/ava/\(ThisProcess.stateFolder)/counterfoil")
    }

    @Test(.enabled(if: ThisProcess.usesXDG)) func `the state folder of the desktop is heeded`() {
        #expect(path(["HOME": "/home/ava"]) == "/home/ava/.local/state/counterfoil")
        #expect(path(["HOME": "/home/ava", "XDG_STATE_HOME": "/state"]) == "/state/counterfoil")
        #expect(path(["HOME": "/home/ava", "XDG_STATE_HOME": "state"]) == "/home/ava/.local/state/counterfoil")
    }

    @Test func `without home it is the account's and without that nowhere`() {
        #expect(path([:], account: "/var/lib/ava")?.hasPrefix("/var/lib/ava/") == true)
        #expect(path([:]) == nil)
        #expect(path(["HOME": "here"]) == nil)
    }
}
