import NIOCore
import NIOHTTP1
import NIOPosix
import Platform

/// Why a real API did not respond.
package enum ProviderFailure: Error, Sendable, Hashable, CustomStringConvertible {
    case unreachable(String)
    case timedOut(String)
    /// Its certificate is not valid for its name and the trusted authorities.
    case untrusted(String)
    /// No TLS with it for another reason.
    case tls(String)
    /// Not a response of HTTP/1.1.
    case malformed(String)
    /// It ended the connection before the end of the response.
    case cut(isReset: Bool)
    /// It sends requests back to the proxy that forwards to it.
    case loop

    package var description: String {
        switch self {
        case .unreachable(let reason): "cannot connect: \(reason)"
        case .timedOut(let what): "\(what) took too long"
        case .untrusted(let reason): "its certificate is not trusted: \(reason)"
        case .tls(let reason): "no TLS connection: \(reason)"
        case .malformed(let reason): "found a response that is not HTTP/1.1: \(reason)"
        case .cut(let isReset): "it \(isReset ? "reset" : "closed") the connection before the end of its response"
        case .loop: "it sends requests back to this proxy"
        }
    }

    init(_ error: any Error) {
        switch error {
        case let failure as ProviderFailure: self = failure
        case let error as NIOConnectionError:
            let reasons =
                error.connectionErrors.map { ProviderFailure.text($0.error) }
                + [error.dnsAError, error.dnsAAAAError].compactMap { $0.map { ProviderFailure.text($0) } }
            let isSlow = error.connectionErrors.contains { if case ChannelError.connectTimeout = $0.error { true } else { false } }
            self = isSlow ? .timedOut("connecting") : .unreachable(reasons.first ?? "no address is known for \(error.host)")
        case ChannelError.connectTimeout: self = .timedOut("connecting")
        case let error as HTTPParserError: self = error == .invalidEOFState ? .cut(isReset: false) : .malformed("\(error)")
        case let error as IOError: self = error.errnoCode == ECONNRESET ? .cut(isReset: true) : .unreachable(error.reasonText)
        // The handlers of a connection are removed when it closes.
        case ChannelError.eof, ChannelError.ioOnClosedChannel, ChannelError.alreadyClosed, ChannelPipelineError.notFound:
            self = .cut(isReset: false)
        default: self = ClientTLS.failure(error) ?? .unreachable("\(error)")
        }
    }

    /// - Parameter error: of a connection that was open.
    init(ofOpen error: any Error) {
        let failure = ProviderFailure(error)
        guard case .unreachable(let reason) = failure else {
            self = failure
            return
        }
        self = error is IOError ? .cut(isReset: false) : .malformed(reason)
    }

    /// The system's words for its own errors, such as `Connection refused`.
    private static func text(_ error: any Error) -> String { (error as? IOError)?.reasonText ?? "\(error)" }
}
