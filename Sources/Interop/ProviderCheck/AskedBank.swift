import BankClient
import BankCore
import BankModel
import Contracts
import Platform

/// One of the two that are asked the same questions: a provider, or the stub.
protocol AskedBank: Sendable {
    /// The prefix of its absolute URLs, without a trailing slash.
    var baseURL: String { get }

    func ask(_ request: BankRequest) async -> ProviderAnswer
}

/// The result of a request.
enum ProviderAnswer: Sendable {
    case response(ObservedResponse)
    /// No whole response came; why, in words without secrets.
    case nothing(String)
}

/// The stub of the bank, in this process: no socket, no separate clock.
final class StubSide: AskedBank {
    private static let address = "http://stub.invalid"
    let baseURL = StubSide.address
    private let state: Locked<SessionState>
    private let now: Instant

    /// - Parameter now: when its session starts and every request comes.
    init(_ bank: Bank, at now: Instant) {
        self.now = now
        state = Locked(SessionState(id: "verify", seed: 7, prepared: PreparedBank(bank), baseURL: StubSide.address, startedAt: now))
    }

    /// A token as if the customer had signed in; nil at a bank without tokens.
    func token(for login: String) -> String? { try? state.withLock { try $0.issueTokens(login: login, at: now).access.text } }

    func ask(_ request: BankRequest) async -> ProviderAnswer {
        .response(ObservedResponse(state.withLock { $0.answer(request, at: now).response }))
    }
}

extension ObservedResponse {
    init(_ response: BankResponse) { self.init(status: response.status, headers: response.headers, body: response.body) }
}

/// A real API, over a transport that follows no redirect.
final class ProviderSide: AskedBank {
    let baseURL: String
    private let transport: any HTTPTransport
    private let counts = Locked((requests: 0, responses: 0, silences: 0))

    /// - Parameter baseURL: without a trailing slash.
    init(_ baseURL: String, _ transport: any HTTPTransport) {
        self.baseURL = baseURL
        self.transport = transport
    }

    /// How many requests were sent.
    var requests: Int { counts.withLock { $0.requests } }

    /// Whether it is not worth asking any more: it has never responded, or was silent three times.
    var isLost: Bool { counts.withLock { $0.silences > 0 && $0.responses == 0 || $0.silences >= 3 } }

    func ask(_ request: BankRequest) async -> ProviderAnswer {
        if isLost { return .nothing("no request was sent, because an earlier one got no response") }
        var headers = HTTPHeaders()
        for header in request.headers { headers.append(header.name, header.value) }
        let url = baseURL + request.path + (request.query.map { "?\($0)" } ?? "")
        let call = HTTPRequest(request.method, url, headers: headers, body: request.body.isEmpty ? nil : request.body)
        counts.withLock { $0.requests += 1 }
        do throws(TransportFailure) {
            let response = try await transport.send(call)
            counts.withLock { $0.responses += 1 }
            let lines = response.headers.lines.map { JournalEntry.Header($0.name, $0.value) }
            return .response(ObservedResponse(status: response.status, headers: lines, body: response.body))
        } catch {
            counts.withLock { $0.silences += 1 }
            return .nothing("\(error.error.rawValue): \(error.detail)\(hint(error))")
        }
    }

    /// A hint at the usual cause.
    private func hint(_ failure: TransportFailure) -> String {
        if failure.error == .tls, baseURL.hasPrefix("https:") {
            return "; check whether the port uses plain HTTP, or pass the authority with --ca-file"
        }
        return failure.torn && baseURL.hasPrefix("http:") ? "; check whether the port uses HTTPS" : ""
    }
}
