/// Whether a kind of fault reaches the client as the server sent it.
package enum ProbeVerdict: Sendable, Hashable {
    case arrives
    /// It came, but not as it was sent: how.
    case altered([String])
    /// Something between sent the request again, or answered it itself.
    case swallowed(String)
    /// The kind cannot act on this path: why.
    case notProbed(String)

    /// As the report for programs names it.
    package var name: String {
        switch self {
        case .arrives: "arrives"
        case .altered: "altered"
        case .swallowed: "swallowed"
        case .notProbed: "not-probed"
        }
    }

    /// The findings; empty if it arrives.
    package var findings: [String] {
        switch self {
        case .arrives: []
        case .altered(let findings): findings
        case .swallowed(let finding): [finding]
        case .notProbed(let reason): [reason]
        }
    }
}
