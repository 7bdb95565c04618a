import BankModel

/// Faults before any request is read, and those of the connection as a whole.
extension StubBank.Fault {
    /// The port does not listen; open connections are closed.
    public static let refuse = Self(kind: "refuse")

    /// Connections are accepted, never read and never answered.
    public static let blackhole = Self(kind: "blackhole")

    /// Connections are reset before any byte.
    public static let resetOnAccept = Self(kind: "reset-on-accept")

    /// Connections are closed before any byte.
    public static let closeOnAccept = Self(kind: "close-on-accept")

    /// The whole connection is slow, both ways.
    ///
    /// - Parameter bytesPerSecond: from 1.
    public static func bandwidth(bytesPerSecond: Int) -> Self { Self(kind: "bandwidth", ["bytes_per_second": .int(bytesPerSecond)]) }

    /// A certificate that a client must refuse. It needs ``StubBankOptions/tls``.
    public static func certificate(_ wrong: WrongCertificate) -> Self { Self(kind: "certificate", ["is": .string(wrong.rawValue)]) }

    /// The handshake is cut. It needs ``StubBankOptions/tls``.
    public static let tlsAbort = Self(kind: "tls-abort")

    /// What can be wrong with a certificate.
    public enum WrongCertificate: String, Sendable, CaseIterable {
        case expired
        case notYetValid = "not-yet-valid"
        case wrongHost = "wrong-host"
        case selfSigned = "self-signed"
        case unknownAuthority = "unknown-authority"
    }

    /// The bank says that it is going away, and ends the connection. HTTP/2 alone can carry it.
    ///
    /// - Parameter finishing: whether the request is told to have been taken, so that it must not be sent again blindly.
    public static func goAway(finishing: Bool = false) -> Self { Self(kind: "goaway", ["last": .string(finishing ? "this" : "0")]) }

    /// The stream is reset. HTTP/2 alone can carry it.
    ///
    /// - Parameter code: its name in RFC 9113 §7, such as `refused-stream`.
    public static func resetStream(code: String = "cancel") -> Self { Self(kind: "reset-stream", ["code": .string(code)]) }
}
