import BankClient
import BankCore
import BankFiles
import BankModel
import Contracts
import Platform
import ProviderCheck
import TestBanks

/// A provider without a socket: a session of a bank, perhaps with responses changed on the way; it remembers what it was asked.
final class FakeProvider: HTTPTransport {
    /// When everything happens.
    static let now = Instant(seconds: 1_763_553_600)

    private let state: Locked<SessionState>
    private let asked = Locked<[HTTPRequest]>([])
    private let change: @Sendable (HTTPRequest, HTTPResponse) throws(TransportFailure) -> HTTPResponse

    init(
        _ bank: Bank,
        change: @escaping @Sendable (HTTPRequest, HTTPResponse) throws(TransportFailure) -> HTTPResponse = { _, response in response }
    ) {
        state = Locked(
            SessionState(id: "real", seed: 11, prepared: PreparedBank(bank), baseURL: "https://bank.example", startedAt: FakeProvider.now))
        self.change = change
    }

    /// The request lines so far, `METHOD path`.
    var lines: [String] {
        asked.withLock { $0.map { "\($0.method) " + $0.url.dropFirst("https://bank.example".count).prefix { $0 != "?" } } }
    }

    var requests: [HTTPRequest] { asked.withLock(\.self) }

    /// A token as if the customer had signed in.
    func token(_ login: String) throws -> String {
        try state.withLock { try $0.issueTokens(login: login, at: FakeProvider.now).access.text }
    }

    var movements: Int { state.withLock { $0.ledger.movements.count } }

    func send(_ request: HTTPRequest) async throws(TransportFailure) -> HTTPResponse {
        asked.withLock { $0.append(request) }
        let target = request.url.dropFirst("https://bank.example".count)
        let path = target.prefix { $0 != "?" }
        let sent = BankRequest(
            request.method, String(path), query: path.endIndex == target.endIndex ? nil : String(target[path.endIndex...].dropFirst()),
            headers: request.headers.lines.map { .init($0.name, $0.value) }, body: request.body ?? [])
        let response = state.withLock { $0.answer(sent, at: FakeProvider.now).response }
        var headers = HTTPHeaders()
        for header in response.headers { headers.append(header.name, header.value) }
        return try change(request, HTTPResponse(status: response.status, headers: headers, body: response.body))
    }

    /// Checks this provider against a bank's own definition.
    func report(
        against bank: Bank, credentials: ProviderOptions.Credentials? = nil, known: [String: String] = [:], allowsWrites: Bool = false,
        payment: ProviderOptions.PaymentOrder? = nil, announce: @escaping @Sendable (String) -> Void = { _ in }
    ) async -> ProviderReport {
        let options = ProviderOptions(
            known: known, credentials: credentials, allowsWrites: allowsWrites, payment: payment, now: FakeProvider.now,
            newKey: { "0b0e3a4e-0000-4000-8000-00000000c0de" }, announce: announce)
        return await ProviderRun(bank, provider: "https://bank.example", transport: self, options: options).run()
    }
}

extension ProviderReport {
    func check(_ id: String) -> Check? { checks.first { $0.id == id } }

    /// Every drift as `check kind pointer`.
    var drifts: [String] { checks.flatMap { check in check.drifts.map { "\(check.id) \($0.kind.rawValue) \($0.pointer)" } } }
}
