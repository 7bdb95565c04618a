import BankModel

/// Faults that apply before a request is read, and faults of a whole connection.
extension StubBank.Fault {
    /// Stops listening on the port and closes open connections. The port stays reserved.
    public static let refuse = Self(kind: .refuse)

    /// Accepts connections, but never reads or responds.
    public static let blackhole = Self(kind: .blackhole)

    /// Resets connections before any byte is sent.
    public static let resetOnAccept = Self(kind: .resetOnAccept)

    /// Closes connections before any byte is sent.
    public static let closeOnAccept = Self(kind: .closeOnAccept)

    /// Slows the whole connection down, in both directions.
    ///
    /// - Parameter bytesPerSecond: the rate in each direction, at least 1 byte per second.
    public static func bandwidth(bytesPerSecond: Int) -> Self { Self(kind: .bandwidth, ["bytes_per_second": .int(bytesPerSecond)]) }

    /// Presents a certificate that a client must reject. Requires ``StubBankOptions/tls``.
    public static func certificate(_ wrong: WrongCertificate) -> Self { Self(kind: .certificate, ["is": .string(wrong.rawValue)]) }

    /// Presents another certificate that a client must accept. Requires ``StubBankOptions/tls``.
    public static func certificate(_ other: OtherCertificate) -> Self { Self(kind: .certificate, ["is": .string(other.rawValue)]) }

    /// Presents a certificate that expires while the client runs. Requires ``StubBankOptions/tls``.
    ///
    /// - Parameter lasts: the certificate's validity from the first handshake on, 1 second to 1 day, rounded up to whole seconds.
    public static func certificate(lasting lasts: Duration) -> Self {
        Self(kind: .certificate, ["is": "expiring", "for": .string(lasts.shortText)])
    }

    /// Offers only an old version of TLS. Requires ``StubBankOptions/tls``.
    public static func oldTLS(_ version: OldTLS = .tls10) -> Self { Self(kind: .oldTLS, ["version": .string(version.rawValue)]) }

    /// Aborts the TLS handshake. Requires ``StubBankOptions/tls``.
    public static let tlsAbort = Self(kind: .tlsAbort)

    /// The fault of a certificate.
    public enum WrongCertificate: String, Sendable, CaseIterable {
        case expired
        case notYetValid = "not-yet-valid"
        case wrongHost = "wrong-host"
        case selfSigned = "self-signed"
        case unknownAuthority = "unknown-authority"
        /// The address is only its common name, and not one of its alternative names.
        case addressInCommonName = "address-in-common-name"
        /// An intermediate authority signed it, and is not sent with it.
        case incompleteChain = "incomplete-chain"
    }

    /// A valid certificate in place of the usual one.
    public enum OtherCertificate: String, Sendable, CaseIterable {
        /// Another certificate and key, by the same authority.
        case renewed
        /// Another certificate with the backup key, for clients that pin keys.
        case backupKey = "backup-key"
        /// Signed by an intermediate authority, which is sent with it.
        case newIntermediate = "new-intermediate"
        /// It names only the bank's addresses.
        case addressOnly = "address-only"
        /// It requires a stapled status (RFC 7633), and none is sent: a client that asks for one rejects it.
        case mustStaple = "must-staple"
    }

    /// An obsolete version of TLS (RFC 8996).
    public enum OldTLS: String, Sendable, CaseIterable {
        case tls10 = "tls-1.0"
        case tls11 = "tls-1.1"
    }

    /// Sends GOAWAY and closes the connection. HTTP/2 only.
    ///
    /// - Parameter finishing: true if GOAWAY counts the request as processed, so that a client must not resend it blindly; false
    ///   if it counts no request as processed.
    public static func goAway(finishing: Bool = false) -> Self { Self(kind: .goAway, ["last": .string(finishing ? "this" : "0")]) }

    /// Resets the stream with RST_STREAM. HTTP/2 only.
    ///
    /// - Parameter code: the error code; with ``HTTP2Code/refusedStream`` a client may send the request again.
    public static func resetStream(code: HTTP2Code = .cancel) -> Self { Self(kind: .resetStream, ["code": .string(code.rawValue)]) }

    /// An error code of HTTP/2 (RFC 9113 §7).
    public enum HTTP2Code: String, Sendable, CaseIterable {
        case noError = "no-error"
        case protocolError = "protocol-error"
        case internalError = "internal-error"
        case flowControlError = "flow-control-error"
        case settingsTimeout = "settings-timeout"
        case streamClosed = "stream-closed"
        case frameSizeError = "frame-size-error"
        case refusedStream = "refused-stream"
        case cancel
        case compressionError = "compression-error"
        case connectError = "connect-error"
        case enhanceYourCalm = "enhance-your-calm"
        case inadequateSecurity = "inadequate-security"
        case http11Required = "http-1-1-required"
    }
}
