import BankCore
import BankModel
import Testing

/// A session of the model bank with challenges, and a client that pays.
struct Payer {
    var app: App
    var token = ""

    init(_ kind: ChallengePolicy.Setting? = .otp, changing edits: [(old: String, new: String)] = []) throws {
        app = try App(changing: edits, metadata: SessionMetadata(challenges: kind))
        token = try app.state.issueTokens(login: "ava", at: app.now).access.text
    }

    mutating func send(_ method: String, _ target: String, key: String? = nil, _ body: String = "") -> BankResponse {
        var headers = [
            JournalEntry.Header("Authorization", "Bearer \(token)"), JournalEntry.Header("Content-Type", "application/json"),
        ]
        if let key { headers.append(JournalEntry.Header("Idempotency-Key", key)) }
        return app.send(method, target, headers, body)
    }

    mutating func pay(_ amount: String = "10.00", key: String = "k1") -> BankResponse {
        send(
            "POST", "/v1/payments", key: key,
            #"{"from":"ava-gbp","to":"payee-lark","amount":{"amount":"\#(amount)","currency":"GBP"}}"#)
    }

    /// The right to execute a payment of 10.00, as `pay` sends it; nil if the request is rejected.
    mutating func ticket(key: String) -> Ticket? {
        let headers = [("Authorization", "Bearer \(token)"), ("Content-Type", "application/json"), ("Idempotency-Key", key)]
        let request = BankRequest(
            "POST", "/v1/payments", headers: headers.map { JournalEntry.Header($0.0, $0.1) },
            body: Array(#"{"from":"ava-gbp","to":"payee-lark","amount":{"amount":"10.00","currency":"GBP"}}"#.utf8))
        guard case .ready(let ticket)? = app.state.admit(request, at: app.now)?.admission.verdict else { return nil }
        return ticket
    }

    mutating func answer(_ code: String, _ number: Int = 1) -> BankResponse {
        send("POST", "/v1/challenges/challenge-\(number)", #"{"code":"\#(code)"}"#)
    }

    mutating func state(_ number: Int = 1) -> String? { send("GET", "/v1/challenges/challenge-\(number)").json["state"]?.string }

    mutating func oldRows() -> BankResponse { send("GET", "/v1/accounts/ava-gbp/transactions?from=2020-01-01") }

    var payments: Int { app.state.ledger.movements.count }

    /// The session as it is after a restart of its server.
    mutating func restart() throws {
        let image = app.state.image
        try app.state.restore(image: image)
    }
}
