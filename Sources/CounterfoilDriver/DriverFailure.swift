import Foundation

/// A failed step, with the error that the user sees.
public struct DriverFailure: Error, Sendable, Hashable {
    /// The errors of the driver protocol.
    public enum Kind: String, Sendable, CaseIterable {
        case unauthorized
        case consentExpired = "consent_expired"
        case forbidden
        case notFound = "not_found"
        case conflict, rejected
        case rateLimited = "rate_limited"
        case unavailable, offline, timeout, tls
        case tooLarge = "too_large"
        case decode
        case outcomeUnknown = "outcome_unknown"
        case cancelled
        case nothingToDo = "nothing_to_do"
        /// A generic error was shown: "Something went wrong".
        case failed
    }

    /// The error.
    public let kind: Kind
    /// Free text for the report, without secrets.
    public let detail: String
    /// Whether a byte of the request may have been sent; a payment without a final response is then `outcome_unknown`.
    public let sent: Bool
    /// Whether the client shows the error to the user.
    public let isShown: Bool
    /// Whether the request ended because its task was cancelled.
    private(set) var isCalledOff = false

    /// A failure.
    public init(_ kind: Kind, _ detail: String = "", sent: Bool = true, isShown: Bool = true) {
        self.isShown = isShown
        self.kind = kind
        self.detail = detail.isEmpty ? kind.rawValue : detail
        self.sent = sent
    }

    /// The failure that a status means, for a bank without its own error codes.
    public init(status: Int, _ detail: String = "") {
        let kind: Kind =
            switch status {
            case 401: .unauthorized
            case 403: .forbidden
            case 404, 410: .notFound
            case 409: .conflict
            case 429: .rateLimited
            case 400..<500: .rejected
            case 500...: .unavailable
            default: .decode
            }
        self.init(kind, "status \(status)" + (detail.isEmpty ? "" : ": \(detail)"))
    }

    /// The failure that an error of URLSession, of decoding or of a cancelled task means; nil for any other.
    public init?(_ error: any Error) {
        switch error {
        case let failure as DriverFailure: self = failure
        case is CancellationError:
            self.init(.cancelled, "the request was cancelled")
            isCalledOff = true
        case let error as DecodingError: self.init(.decode, error.shape)
        default:
            let error = error as NSError
            switch (error.domain, error.code) {
            case ("NSURLErrorDomain", let code): self.init(urlErrorCode: code)
            case ("NSCocoaErrorDomain", 3840): self.init(.decode, "no JSON")  // propertyListReadCorrupt, also of JSONSerialization
            default: return nil
            }
        }
    }

    /// The kind for a payment, of which a byte may have been sent. A request that was called off on its way may have paid; what the client
    /// itself calls cancelled has not.
    var kindOfPayment: Kind {
        guard sent else { return kind }
        return switch kind {
        case .offline, .timeout, .tls, .tooLarge, .decode, .unavailable, .conflict: .outcomeUnknown
        case .notFound: .rejected
        case .cancelled where isCalledOff: .outcomeUnknown
        default: kind
        }
    }
}

extension DriverFailure {
    /// The failure that a code of `URLError` means. The codes are numbers here, so that a driver on Linux is not linked with
    /// FoundationNetworking, and with curl, unless its client is.
    init(urlErrorCode code: Int) {
        let detail = "URLError \(code)"
        switch code {
        case -999:  // cancelled
            self.init(.cancelled, detail)
            isCalledOff = true
        case -1001: self.init(.timeout, detail)  // timedOut, of the connection or of the answer
        case -1003, -1006: self.init(.offline, detail, sent: false)  // cannotFindHost, dnsLookupFailed
        case -1004: self.init(.offline, detail, sent: false)  // cannotConnectToHost
        case -1009, -1018, -1019, -1020: self.init(.offline, detail, sent: false)  // notConnected, roaming, call, data not allowed
        case -1005: self.init(.offline, detail)  // networkConnectionLost
        case -1022, -1206 ... -1200: self.init(.tls, detail, sent: false)  // transport security, certificates, handshake
        case -1103: self.init(.tooLarge, detail)  // dataLengthExceedsMaximum
        case -1012, -1013: self.init(.unauthorized, detail)  // userCancelledAuthentication, userAuthenticationRequired
        case -1007, -1008, -1010, -1011, -1017 ... -1014: self.init(.decode, detail)  // redirects, bad responses
        default: self.init(.offline, detail)
        }
    }
}

extension DecodingError {
    /// The path that could not be decoded, without its value, which may be a secret.
    fileprivate var shape: String {
        switch self {
        case .keyNotFound(let key, _): "found no \(key.stringValue)"
        case .typeMismatch(_, let context), .valueNotFound(_, let context), .dataCorrupted(let context):
            "found an unexpected value at \(context.codingPath.map(\.stringValue).joined(separator: "."))"
        @unknown default: "not decodable"
        }
    }
}
