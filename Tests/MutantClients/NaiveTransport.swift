import BankClient
import BankModel
import CCurl
import ClientDriver
import DriverProtocol
import Foundation
import Platform

/// HTTP over libcurl as it is written in an afternoon: one request at a time, and it accepts what libcurl reports.
///
/// The right transport has no switch for what is wrong here, so the mistakes have a separate transport.
final class NaiveTransport: HTTPTransport {
    /// The habits of this transport.
    struct Habits: Sendable {
        var verifiesPeer = true
        var verifiesHost = true
        /// Sends the same headers wherever a redirect leads to.
        var forwardsToken = false
        /// Shows what came of an answer that broke off.
        var takesTornAnswers = false
        /// Goes on with a connection that has failed once, for ever.
        var keepsDeadConnections = false
        /// Gives up only where no byte has come for a second; an answer may take as long as it likes.
        var timesOnlySilence = false
        /// Gives up on an answer, never on a connection that does not come about.
        var waitsForConnection = false
        /// Takes TLS 1.0 too, and what belongs to it.
        var takesOldTLS = false
        /// The only public keys that it takes; empty for all.
        var pins: [String] = []
        /// Whether it goes on with the certificate of a new connection; nil if it asks nothing but what libcurl does.
        var accepts: (@Sendable (PresentedCertificate) -> Bool)?

        static let trusting = Habits()
    }

    private let limits: TransportLimits
    private let caFile: String?
    private let habits: Habits
    private let state = Locked(Connection())

    private struct Connection {
        /// The address of libcurl's multi handle, which holds the kept connections.
        var multi: UInt?
        var isDead = false
    }

    init(_ start: CaseStart, _ habits: Habits) {
        limits = TransportLimits(start)
        caFile = start.caFile
        self.habits = habits
        _ = ccurl_global_init(Int(CURL_GLOBAL_SSL))
    }

    deinit {
        if let multi = state.withLock({ $0.multi }).flatMap(UnsafeMutableRawPointer.init(bitPattern:)) { ccurl_multi_cleanup(multi) }
    }

    func send(_ request: HTTPRequest) async throws(TransportFailure) -> HTTPResponse {
        let outcome = await withCheckedContinuation { continuation in
            Thread { continuation.resume(returning: self.exchange(request)) }.start()
        }
        return try outcome.get()
    }

    private func exchange(_ request: HTTPRequest) -> Result<HTTPResponse, TransportFailure> {
        state.withLock { state in
            if state.isDead { return .failure(TransportFailure(.offline, "the connection is closed", mayHaveLeft: false)) }
            guard let multi = state.multi.flatMap(UnsafeMutableRawPointer.init(bitPattern:)) ?? ccurl_multi_init(),
                let easy = ccurl_easy_init()
            else { return .failure(TransportFailure(.offline, "libcurl could not be started", mayHaveLeft: false)) }
            state.multi = UInt(bitPattern: multi)
            let outcome = exchange(request, multi, easy)
            if habits.keepsDeadConnections, case .failure = outcome { state.isDead = true }
            return outcome
        }
    }

    private func exchange(
        _ request: HTTPRequest, _ multi: UnsafeMutableRawPointer, _ easy: UnsafeMutableRawPointer
    ) -> Result<HTTPResponse, TransportFailure> {
        let (accepts, address) = (habits.accepts, UInt(bitPattern: easy))
        let answer = NaiveAnswer(sendsOnce: habits.keepsDeadConnections) {
            guard let accepts, let presented = PresentedCertificate(of: UnsafeMutableRawPointer(bitPattern: address)) else { return true }
            return accepts(presented)
        }
        let box = Unmanaged.passRetained(answer)
        let headers = prepare(easy, request, box.toOpaque())
        defer {
            ccurl_easy_cleanup(easy)
            ccurl_slist_free_all(headers)
            box.release()
        }
        guard ccurl_multi_add_handle(multi, easy) == CURLM_OK else {
            return .failure(TransportFailure(.offline, "libcurl is busy", mayHaveLeft: false))
        }
        defer { ccurl_multi_remove_handle(multi, easy) }
        var running = Int32(1)
        var left = Int32(0)
        while running > 0 {
            ccurl_multi_perform(multi, &running)
            if running > 0 { ccurl_multi_poll(multi, nil, 0, 1000, nil) }
        }
        let code = ccurl_multi_info_read(multi, &left).map { $0.pointee.data.result } ?? CURLE_RECV_ERROR
        let response = answer.response
        let isTorn = code != CURLE_OK
        if !isTorn || habits.takesTornAnswers && response.status > 0 { return .success(response) }
        return .failure(NaiveTransport.failure(code))
    }

    /// The options that set how long it waits.
    private var times: [(CURLoption, Int)] {
        let silence = [(CURLOPT_LOW_SPEED_LIMIT, 1), (CURLOPT_LOW_SPEED_TIME, 1)]
        let connect = (CURLOPT_CONNECTTIMEOUT_MS, Int(limits.connect.nanoseconds / 1_000_000))
        // An unset limit is libcurl's own: five minutes for the connection, none for the whole transfer.
        if habits.waitsForConnection { return silence }
        return habits.timesOnlySilence ? silence + [connect] : [connect, (CURLOPT_TIMEOUT_MS, Int(limits.total.nanoseconds / 1_000_000))]
    }

    private static func failure(_ code: CURLcode) -> TransportFailure {
        let text = "curl \(code.rawValue): \(String(cString: ccurl_easy_strerror(code)))"
        switch code {
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CONNECT_ERROR, CURLE_SSL_PINNEDPUBKEYNOTMATCH:
            return TransportFailure(.tls, text, mayHaveLeft: false)
        case CURLE_ABORTED_BY_CALLBACK: return TransportFailure(.tls, "another certificate", mayHaveLeft: false)
        case CURLE_OPERATION_TIMEDOUT: return TransportFailure(.timeout, text, mayHaveLeft: true)
        case CURLE_COULDNT_CONNECT, CURLE_COULDNT_RESOLVE_HOST: return TransportFailure(.offline, text, mayHaveLeft: false)
        default: return TransportFailure(.offline, text, mayHaveLeft: true, torn: true)
        }
    }

    /// Sets all options; returns the headers, which must outlive the transfer.
    private func prepare(
        _ easy: UnsafeMutableRawPointer, _ request: HTTPRequest, _ box: UnsafeMutableRawPointer
    ) -> UnsafeMutablePointer<curl_slist>? {
        ccurl_set_string(easy, CURLOPT_URL, request.url)
        ccurl_set_string(easy, CURLOPT_PROXY, "")
        ccurl_set_string(easy, CURLOPT_CUSTOMREQUEST, request.method)
        var numbers: [(CURLoption, Int)] = [
            (CURLOPT_NOSIGNAL, 1), (CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_2TLS)),
            (CURLOPT_SSL_VERIFYPEER, habits.verifiesPeer ? 1 : 0), (CURLOPT_SSL_VERIFYHOST, habits.verifiesHost ? 2 : 0),
            (CURLOPT_FOLLOWLOCATION, request.isSafe ? 1 : 0), (CURLOPT_MAXREDIRS, 5),
            (CURLOPT_UNRESTRICTED_AUTH, habits.forwardsToken ? 1 : 0),
        ]
        numbers += times + [(CURLOPT_CERTINFO, habits.accepts == nil ? 0 : 1)]
        if !habits.pins.isEmpty {
            ccurl_set_string(easy, CURLOPT_PINNEDPUBLICKEY, habits.pins.map { "sha256//\($0)" }.joined(separator: ";"))
        }
        if habits.takesOldTLS {
            numbers.append((CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_0)))
            // OpenSSL's own floor is above what TLS 1.0 signs with.
            ccurl_set_string(easy, CURLOPT_SSL_CIPHER_LIST, "DEFAULT@SECLEVEL=0")
        }
        for (option, value) in numbers { ccurl_set_long(easy, option, value) }
        if let caFile { ccurl_set_string(easy, CURLOPT_CAINFO, caFile) }
        var lines: UnsafeMutablePointer<curl_slist>?
        for line in request.headers.lines { lines = ccurl_slist_append(lines, "\(line.name): \(line.value)") ?? lines }
        ccurl_set_list(easy, CURLOPT_HTTPHEADER, lines)
        if let body = request.body, !body.isEmpty {
            ccurl_set_offset(easy, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(body.count))
            _ = body.withUnsafeBytes { bytes in bytes.baseAddress.map { ccurl_set_pointer(easy, CURLOPT_COPYPOSTFIELDS, $0) } }
        }
        NaiveAnswer.gather(easy, box)
        return lines
    }
}

extension ClientParts {
    /// Sends everything over a transport with these habits, renewals of the token too.
    mutating func useNaiveTransport(_ start: CaseStart, _ habits: NaiveTransport.Habits) {
        caller.transport = NaiveTransport(start, habits)
        useStore(store)
    }
}
