import BankFiles
import BankModel
import TestBanks
import Testing

@testable import BankCore

/// A session of the test bank, with the steps of a request combined.
struct Till {
    var state: SessionState
    /// The session's now: 12:00 UTC on a Wednesday, unless moved.
    var now = Instant(seconds: 1_763_553_600)

    init(_ files: TestFiles = TestFiles(), seed: UInt64 = 7) throws {
        let bank = try files.library.load("till").bank
        state = SessionState(id: "till", seed: seed, prepared: PreparedBank(bank), baseURL: "http://bank", startedAt: now)
    }

    /// Signs in and returns the access token's text.
    mutating func token(_ login: String = "ann", scopes: [String]? = nil) throws -> String {
        try state.issueTokens(login: login, scopes: scopes, at: now).access.text
    }

    /// A request from its target to its response; no fault in between.
    mutating func send(
        _ method: String = "GET", _ target: String, token: String? = nil, key: String? = nil, headers: [JournalEntry.Header] = [],
        body: String = ""
    ) -> BankResponse {
        state.answer(request(method, target, token: token, key: key, headers: headers, body: body), at: now).response
    }

    /// A request up to its admission.
    mutating func admit(
        _ method: String = "GET", _ target: String, token: String? = nil, key: String? = nil, headers: [JournalEntry.Header] = [],
        body: String = ""
    ) -> Outcome {
        let request = request(method, target, token: token, key: key, headers: headers, body: body)
        guard let (_, admission) = state.admit(request, at: now) else {
            return .failure(state.dialectResponse(.notFound, to: request, at: now))
        }
        return .success(admission.verdict)
    }

    private func request(
        _ method: String, _ target: String, token: String?, key: String?, headers: [JournalEntry.Header], body: String
    ) -> BankRequest {
        let parts = target.split(separator: "?", maxSplits: 1).map(String.init)
        var headers = headers
        if let token { headers.append(.init("Authorization", "Bearer \(token)")) }
        if let key { headers.append(.init("Idempotency-Key", key)) }
        return BankRequest(method, parts[0], query: parts.count > 1 ? parts[1] : nil, headers: headers, body: Array(body.utf8))
    }

    enum Outcome {
        case success(Admission.Verdict)
        case failure(BankResponse)
    }

    /// What the account a1 has, and how much of it is booked.
    mutating func balances(_ token: String) -> [String?] {
        let account = send("GET", "/v1/accounts/a1", token: token).json
        return [account["balance"]?.string, account["booked"]?.string]
    }

    /// Makes 5.00 come from outside to the account a1.
    mutating func receive(times: Int = 1) throws {
        let money = event(.paymentIn) { ($0.account, $0.amount) = ("a1", "5.00") }
        for _ in 0..<times { _ = try state.happen(money, at: now) }
    }

    /// Makes an event happen that makes or ends a movement.
    mutating func happen(_ event: BankEvent) throws -> Movement {
        let result = try state.happen(event, at: now)
        return try #require(result.movement)
    }

    /// A payment of ann's.
    mutating func pay(_ amount: String, key: String, token: String, to: String = "p1") -> BankResponse {
        send("POST", "/v1/payments", token: token, key: key, body: #"{"from": "a1", "to": "\#(to)", "amount": "\#(amount)"}"#)
    }
}

extension BankResponse {
    var json: JSON { (try? JSON(parsing: body)) ?? .null }
    var text: String { String(decoding: body, as: UTF8.self) }
    var error: String? { json["error"]?.string }

    func header(_ name: String) -> String? { headers.first { $0.name == name }?.value }
}

/// The small bank with a webhook.
extension Till {
    static let hook = WebhookPolicy.Receiver(url: "http://127.0.0.1:9/hook")

    static func withWebhook(_ receiver: WebhookPolicy.Receiver = hook) throws -> (Till, String) {
        var till = try Till(TestFiles.withWebhooks)
        _ = try till.state.register(receiver)
        let token = try till.token()
        return (till, token)
    }

    /// Lets what is due by the session's now happen, as a server does before each request.
    mutating func announce() {
        state.settle(at: now)
        _ = state.announceEnded()
    }

    /// The kinds of the events that were announced, in order.
    var announced: [String] { state.webhooks.deliveries.map(\.event.kind.rawValue) }
}

extension SessionState {
    /// Replays a stored command without a look at its inconsistencies.
    mutating func replay(_ bytes: [UInt8], response: [UInt8]?, at instant: Instant) throws(ImageError) {
        _ = try audit(bytes, response: response, at: instant)
    }
}

/// An event of this kind with the members that the body sets.
func event(_ kind: BankEvent.Kind, _ set: (inout BankEvent) -> Void = { _ in }) -> BankEvent {
    var event = BankEvent(kind)
    set(&event)
    return event
}
