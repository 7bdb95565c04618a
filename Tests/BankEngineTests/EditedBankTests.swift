import BankEngine
import BankModel
import StubServer
import TestBanks
import TestServer
import Testing

/// A bank whose edit makes another field a secret: the journal hides that field from then on, also on connections that sent the
/// same before.
@Suite struct EditedBankTests {
    private static let secret = "sesame"

    /// The bank; `field` is the name of the password in a sign-in.
    private static func bank(passwordIn field: String) -> TestFiles {
        TestFiles()
            .replacing("till/bank.yaml", "takes: {form: [username, password]}", with: "takes: {form: [username, \(field)]}")
            .replacing("till/bank.yaml", "password: {form: password}", with: "password: {form: \(field)}")
            .replacing("till/bank.yaml", "Location: {url: /v1/document.json}", with: "Location: {url: \"/v1/x?magic=\(secret)\"}")
    }

    /// The last two exchanges for a request that is sent twice on the connection.
    private func twice(_ ask: String, on client: RawClient, _ stub: Stub, after count: Int) async throws -> [JournalEntry] {
        for _ in 1...2 {
            await client.send(ask)
            _ = try #require(await client.response())
        }
        return Array(try await stub.till.ended(count + 2).dropFirst(count))
    }

    /// `clock` and `elsewhere` take the full path each time; `accounts` comes from the cache the second time.
    @Test(arguments: ["/v1/clock", "/v1/elsewhere", "/v1/accounts"])
    func `its names of secrets count on open connections`(_ path: String) async throws {
        let edited = Self.bank(passwordIn: "magic")
        try await withStub([source(Self.bank(passwordIn: "password"), reload: edited)]) { stub in
            let ask = request("GET \(path)", token: try stub.token(), headers: ["Referer: https://app.test/?magic=\(Self.secret)"])
            let client = try stub.client()
            let before = try await twice(ask, on: client, stub, after: 0)
            #expect(before.allSatisfy { "\($0.requestHeaders)".contains(Self.secret) }, "it is no secret yet")

            try stub.server.reload("till")
            let after = try await twice(ask, on: client, stub, after: 2)

            #expect(after.count == 2)
            #expect(after.allSatisfy { !"\($0.requestHeaders)".contains(Self.secret) }, "\(after.map(\.requestHeaders))")
            #expect(after.allSatisfy { !"\($0.responseHeaders)".contains(Self.secret) }, "\(after.map(\.responseHeaders))")
            #expect(before.map(\.status) == after.map(\.status))
        }
    }
}
