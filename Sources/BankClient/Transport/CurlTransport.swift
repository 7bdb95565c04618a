import BankModel
import CCurl

/// HTTP over libcurl's multi interface: one thread for any number of requests, async/await outside.
///
/// Certificates are always verified; there is no switch for it. Nothing is stored on disk: no cookies, no HSTS, no alt-svc.
/// Proxies and `.netrc` of the environment are ignored. Authorization never reaches another host, since a redirect to one is
/// not followed.
///
/// libcurl sends a request once more by itself when a reused connection dies before the response. For a write this is
/// harmless only because its idempotency key and its bytes are the same; see ``PaymentSender``.
package final class CurlTransport: HTTPTransport {
    private let limits: TransportLimits
    private let isAgentValid: Bool
    private let clock: any ClientClock
    private let loop: CurlLoop

    /// - Parameters:
    ///   - caFile: a PEM file of trusted authorities besides the system's.
    ///   - pins: the public keys that a server may have besides a valid certificate, each as the SHA-256 of its
    ///     SubjectPublicKeyInfo in base 64 (RFC 7469 §2.4); empty for any key.
    ///   - keepsDots: whether a path is sent as written, with its `.` and `..`, as a proxy must (RFC 9110 §7.7); otherwise they
    ///     are resolved before (RFC 3986 §5.2.4).
    ///   - clock: waits where a redirect asks for it (`Retry-After`).
    package init(
        limits: TransportLimits = TransportLimits(), caFile: String? = nil, pins: [String] = [],
        userAgent: String = "counterfoil-client/1", keepsDots: Bool = false, clock: any ClientClock = SystemClock()
    ) {
        self.limits = limits
        self.clock = clock
        isAgentValid = CurlTransport.fitsInALine(userAgent)
        _ = CurlTransport.library
        loop = CurlLoop(CurlCommon(caFile: caFile, pins: pins, userAgent: userAgent, keepsDots: keepsDots))
        loop.start()
    }

    deinit { loop.stop() }

    /// The transport's current load.
    package func load() async -> CurlLoad {
        await withCheckedContinuation { waiting in loop.submit(.count { waiting.resume(returning: $0) }) }
    }

    /// libcurl's own set-up, once per process.
    private static let library: CURLcode = ccurl_global_init(Int(CURL_GLOBAL_SSL))

    package func send(_ request: HTTPRequest) async throws(TransportFailure) -> HTTPResponse { try await send(request, limits, nil) }

    private nonisolated(nonsending) func send(
        _ request: HTTPRequest, _ limits: TransportLimits, _ receive: Receive?
    ) async throws(TransportFailure) -> HTTPResponse {
        guard CurlTransport.library == CURLE_OK else {
            throw TransportFailure(.offline, String(cString: ccurl_easy_strerror(CurlTransport.library)), mayHaveLeft: false)
        }
        guard CurlTransport.looksLikeAddress(request.url) || Origin(request.url) != nil else { throw notAnAddress(request.url) }
        guard isAgentValid,
            request.headers.lines.allSatisfy({ CurlTransport.fitsInALine($0.name) && CurlTransport.fitsInALine($0.value) })
        else {
            throw TransportFailure(.decode, "a header contains a line break or control character", mayHaveLeft: false)
        }
        let began = ContinuousClock.now
        let (response, target) = try await perform(request, limits, receive)
        guard let target else { return response }
        return try await follow(request, from: response, to: target, limits, receive, since: began)
    }

    /// Follows redirects, up to the limit, within the remaining time; one that asks for a longer wait is a response like any other.
    private func follow(
        _ request: HTTPRequest, from redirect: HTTPResponse, to target: String, _ limits: TransportLimits, _ receive: Receive?,
        since began: ContinuousClock.Instant
    ) async throws(TransportFailure) -> HTTPResponse {
        var (request, redirect, target, left) = (request, redirect, target, limits)
        for _ in 0..<limits.redirects {
            guard let origin = Origin(request.url), Origin(target) == origin else {
                throw TransportFailure(
                    .decode, "redirected to another host or scheme (\(Origin(target)?.host ?? target))", mayHaveLeft: true)
            }
            // The least time before the redirected request (RFC 9110 §10.2.3).
            if let wait = RetryAfterHeader.wait(redirect.headers, now: clock.now()), wait > .zero {
                guard began.duration(to: .now) + wait < limits.total else { return redirect }
                do { try await clock.sleep(for: wait) } catch {
                    throw TransportFailure(.cancelled, "cancelled while waiting to follow a redirect", mayHaveLeft: true)
                }
            }
            request.url = target
            left.total = max(.milliseconds(1), limits.total - began.duration(to: .now))
            let (response, next) = try await perform(request, left, receive)
            guard let next else { return response }
            redirect = response
            target = next
        }
        throw TransportFailure(.decode, "redirected more than \(limits.redirects) times", mayHaveLeft: true)
    }

    /// Sends the request once, on its caller's executor: that saves a switch of threads.
    ///
    /// - Returns: its response, and the address that it redirects to; nil if it is not a redirect.
    private nonisolated(nonsending) func perform(
        _ request: HTTPRequest, _ limits: TransportLimits, _ receive: Receive?
    ) async throws(TransportFailure) -> (response: HTTPResponse, target: String?) {
        let transfer = CurlTransfer(request, limits: limits, receive: receive)
        let outcome = await withTaskCancellationHandler {
            await withUnsafeContinuation { continuation in
                transfer.wait(with: continuation)
                loop.submit(.start(transfer))
            }
        } onCancel: {
            transfer.markCancelled()
            loop.submit(.cancel(transfer))
        }
        if case .failure(let failure) = outcome, !failure.mayHaveLeft, failure.error != .cancelled, Origin(request.url) == nil {
            throw notAnAddress(request.url)
        }
        let answer = try outcome.get()
        let response = try answer.response(to: request)
        let isRedirect = (300..<400).contains(response.status) && request.isSafe && limits.redirects > 0
        return (response, isRedirect ? answer.redirect : nil)
    }

    /// True for a text that begins as an address. libcurl validates the rest when it parses it to connect, so that a valid
    /// address is parsed only once.
    private static func looksLikeAddress(_ url: String) -> Bool { url.hasPrefix("http://") || url.hasPrefix("https://") }

    private func notAnAddress(_ url: String) -> TransportFailure {
        TransportFailure(.offline, "found \"\(url)\", expected an http or https address", mayHaveLeft: false)
    }

    /// True if no byte would end a header line or hide in one.
    private static func fitsInALine(_ text: String) -> Bool { text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 } }
}

extension CurlTransport: StreamingTransport {
    private typealias Receive = @Sendable ([UInt8]) -> Bool

    package func send(
        _ request: HTTPRequest, within longest: Duration, receive: @escaping @Sendable ([UInt8]) -> Bool
    ) async throws(TransportFailure) -> HTTPResponse {
        var limits = limits
        limits.total = longest
        return try await send(request, limits, receive)
    }
}
