import BankClient
import BankFiles
import BankModel
import Contracts
import Logging
import StubServer
import Testing

@testable import Harness

/// Whose tokens a session has issued, as the rules about other customers' data read it.
@Suite struct TokenOwnerTests {
    @Test func `an app's own token belongs to no customer`() async throws {
        let stubs = #filePath.split(separator: "/", omittingEmptySubsequences: false).dropLast(3).joined(separator: "/") + "/Stubs"
        let loaded = try BankLibrary(folder: stubs).load("openbanking")
        let source = BankSource(bank: loaded.bank, files: [], reload: { throw CancellationError() })
        let server = try await StubServer([source], ServerConfiguration(seed: 1), logger: Logger(label: "test"))
        let bank = StubServerBank(server, [loaded])
        let session = try await bank.openSession(SessionParameters(bank: "openbanking", name: "s", seed: 1))
        let form = formEncoded([(name: "grant_type", value: "client_credentials"), (name: "scope", value: "accounts")])
        let request = HTTPRequest(
            "POST", "\(session.baseURL)/oauth/token",
            // The app's id and secret, `tpp:tpp-secret`.
            headers: ["Content-Type": "application/x-www-form-urlencoded", "Authorization": "Basic dHBwOnRwcC1zZWNyZXQ="],
            body: Array(form.utf8))

        let response = try await CurlTransport(limits: TransportLimits()).send(request)
        let owners = session.tokenOwners()
        await session.close()
        await bank.shutdown()

        #expect(response.status == 200)
        #expect(owners.isEmpty)
    }
}
