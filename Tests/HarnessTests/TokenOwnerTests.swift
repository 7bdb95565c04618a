import BankClient
import BankFiles
import BankModel
import Contracts
import Logging
import StubServer
import TestBanks
import Testing

@testable import Harness

/// Whose tokens a session has issued, and which of them are secrets, as the rules read it.
@Suite struct TokenOwnerTests {
    private func bank(_ name: String) async throws -> StubServerBank {
        let loaded = try Clone.library.load(name)
        let source = BankSource(bank: loaded.bank, files: [], reload: { throw CancellationError() })
        let server = try await StubServer([source], ServerConfiguration(seed: 1), logger: Logger(label: "test"))
        return StubServerBank(server, [loaded])
    }

    @Test func `the id of a consent belongs to its customer and is no secret; a token handed out is one`() async throws {
        let bank = try await bank("berlin")
        let session = try await bank.openSession(SessionParameters(bank: "berlin", name: "s", seed: 1))
        let transport = CurlTransport(limits: TransportLimits(connect: .seconds(300), total: .seconds(300), redirects: 0))
        let adapter = try #require(KnownBanks.adapter("berlin", Reading()))
        let client = BankClient(
            ClientParts(
                adapter: adapter, baseURL: session.baseURL, transport: transport, store: MemoryTokenStore(), outbox: MemoryOutbox()))

        let page = try await client.beginSignIn()
        let end = await PageVisitor(transport: transport, baseURL: session.baseURL, mark: "m").visit(
            page, .approve, user: "ben", password: "battery-staple")
        if case .redirected(let address) = end { try await client.finishSignIn(address) }
        let accounts = try await client.accounts()
        let handed = try session.issueToken(login: "ava")
        let (owners, texts) = (session.tokenOwners(), session.tokenTexts())
        await session.close()
        await bank.shutdown()

        #expect(end == .redirected("counterfoil-app:/callback"))
        #expect(accounts.rows.map(\.id) == ["c1f2a6de-64a4-47ab-8b8a-8b4a9d2f7b11"])
        #expect(owners.values.sorted() == ["ava", "ben"])
        #expect(texts == [handed.id: handed.text])
    }

    @Test func `an app's own token belongs to no customer`() async throws {
        let bank = try await bank("openbanking")
        let session = try await bank.openSession(SessionParameters(bank: "openbanking", name: "s", seed: 1))
        let form = formEncoded([(name: "grant_type", value: "client_credentials"), (name: "scope", value: "accounts")])
        let request = HTTPRequest(
            "POST", "\(session.baseURL)/oauth/token",
            // The app's id and secret, `tpp:tpp-secret`.
            headers: ["Content-Type": "application/x-www-form-urlencoded", "Authorization": "Basic dHBwOnRwcC1zZWNyZXQ="],
            body: Array(form.utf8))

        let response = try await CurlTransport(limits: TransportLimits(connect: .seconds(300), total: .seconds(300))).send(request)
        let owners = session.tokenOwners()
        await session.close()
        await bank.shutdown()

        #expect(response.status == 200)
        #expect(owners.isEmpty)
    }
}
