import BankCore
import BankModel
import TestBanks
import Testing

/// Idempotency keys of requests with a client's own token.
@Suite struct ClientKeyTests {
    private static let order = """
        {"Data": {"Initiation": {"InstructedAmount": {"Amount": "20.50", "Currency": "GBP"}, \
        "CreditorAccount": {"Identification": "60112231926819"}}}, "Risk": {}}
        """

    private func ask(_ app: inout App, as client: String) throws -> BankResponse {
        let form: [FormField] = [("grant_type", "client_credentials"), ("scope", "accounts payments")]
        let token = try #require(app.token(form, basic(client, client + "-secret")).json["access_token"]?.string)
        let headers = [JournalEntry.Header("Authorization", "Bearer \(token)"), JournalEntry.Header("x-idempotency-key", "k1")]
        return app.send("POST", "/open-banking/v4.0/pisp/domestic-payment-consents", headers, ClientKeyTests.order)
    }

    @Test func `a key of one client replays nothing to another`() throws {
        let other = "  clients:\n    other: {secret: other-secret, redirects: [\"https://other.example/callback\"]}\n"
        var app = try App(of: "openbanking", changing: [("  clients:\n", other)])

        let (first, again, others) = (try ask(&app, as: "tpp"), try ask(&app, as: "tpp"), try ask(&app, as: "other"))

        #expect([first.status, again.status, others.status] == [201, 201, 201])
        let id = try #require(first.json.at("Data.ConsentId"))
        #expect(again.json.at("Data.ConsentId") == id)
        #expect(others.json.at("Data.ConsentId") != id)
    }
}
