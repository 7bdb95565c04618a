import BankModel

extension FaultTable {
    /// Point `tls`: certificates besides the plainly wrong ones, and old versions.
    static let handshakes: [FaultRow] =
        ["renewed", "backup-key", "new-intermediate", "address-only", "must-staple", "expiring"].map {
            FaultRow(connection: certificate($0), connectionOnly(.ok()), but: clear, leaves: connected)
        }
        + ["incomplete-chain", "address-in-common-name"].map {
            FaultRow(connection: certificate($0), certificateRejected, but: clear, leaves: connected)
        }
        + [
            FaultRow(
                connection: certificate("must-staple"), options: ["--cert-status"],
                .nothing([91], [.kept, .tlsAlert]).because(
                    "asked for the status, it misses it; it does so with every server that staples none"),
                but: clear),
            FaultRow(connection: #""old-tls""#, .nothing([35], [.tlsAlert]), but: clear, leaves: connected),
            FaultRow(connection: #"{"old-tls": {"version": "tls-1.1"}}"#, .nothing([35], [.tlsAlert]), but: clear),
            FaultRow(
                connection: #""old-tls""#, options: ["--tlsv1.0", "--ciphers", "DEFAULT@SECLEVEL=0"],
                connectionOnly(.ok()).because("a client that takes any version takes this one"), but: clear),
        ]

    private static func certificate(_ kind: String) -> String { #"{"certificate": {"is": "\#(kind)"}}"# }
}
