import BankClient
import BankModel
import Foundation
import Platform

/// Answers without a network: with scripted outcomes in turn or by the request; records the requests.
final class ScriptedTransport: HTTPTransport {
    typealias Outcome = Result<HTTPResponse, TransportFailure>

    private let answer: @Sendable (HTTPRequest, Int) async -> Outcome
    private let sent = Locked<[HTTPRequest]>([])

    /// - Parameter answer: receives the request and the number of requests before it.
    init(_ answer: @escaping @Sendable (HTTPRequest, Int) async -> Outcome) { self.answer = answer }

    /// These outcomes in turn; then the last one every time.
    convenience init(_ outcomes: Outcome...) { self.init { _, count in outcomes[min(count, outcomes.count - 1)] } }

    var requests: [HTTPRequest] { sent.withLock { $0 } }

    func send(_ request: HTTPRequest) async throws(TransportFailure) -> HTTPResponse {
        let count = sent.withLock { sent in
            sent.append(request)
            return sent.count - 1
        }
        return try await answer(request, count).get()
    }
}

extension ScriptedTransport.Outcome {
    static func json(_ status: Int = 200, _ body: String, headers: HTTPHeaders = [:]) -> Self {
        var headers = headers
        headers["Content-Type"] = headers["Content-Type"] ?? (status < 300 ? "application/json" : "application/problem+json")
        return .success(HTTPResponse(status: status, headers: headers, body: Array(body.utf8)))
    }

    static func problem(_ status: Int, _ name: String, headers: HTTPHeaders = [:]) -> Self {
        .json(status, #"{"type":"urn:counterfoil:problem:\#(name)","title":"No"}"#, headers: headers)
    }

    /// An answer of OAuth's token call.
    static func tokens(_ access: String, refresh: String) -> Self {
        .json(200, #"{"access_token":"\#(access)","refresh_token":"\#(refresh)","token_type":"Bearer","expires_in":1}"#)
    }

    /// The model bank has accepted the payment.
    static let paid = Self.json(201, #"{"id":"p1","state":"accepted"}"#)
    /// The connection is lost after the request was sent.
    static let lost = Self.failure(TransportFailure(.offline, "lost", mayHaveLeft: true, torn: true))
    /// No connection was established.
    static let refused = Self.failure(TransportFailure(.offline, "refused", mayHaveLeft: false))
}

/// A clock that only sleeping advances, at once.
final class TestClock: ClientClock {
    private let state = Locked((up: Duration.zero, slept: [Duration](), wrong: Duration.zero))
    let began = Instant(seconds: 1_800_000_000)

    var slept: [Duration] { state.withLock { $0.slept } }

    func now() -> Instant { began + uptime() + state.withLock { $0.wrong } }
    /// Sets the time of day, as a user may; the elapsed time remains.
    func jump(by duration: Duration) { state.withLock { $0.wrong += duration } }
    func uptime() -> Duration { state.withLock { $0.up } }
    func sleep(for duration: Duration) throws {
        try Task.checkCancellation()
        state.withLock { state in
            state.up += duration
            state.slept.append(duration)
        }
    }
}

/// Creates a folder for as long as the body runs.
func withFolder<Value>(_ body: (String) async throws -> Value) async throws -> Value {
    let path = NSTemporaryDirectory() + "counterfoil-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: path) }
    return try await body(path)
}
