import BankModel
import Foundation

/// The names and addresses of this machine.
package enum LocalNames {
    /// This machine's loopback address as an Android emulator on it sees it.
    static let fromEmulator = "10.0.2.2"

    /// The hosts of every certificate of a stub bank.
    static let hosts = ["localhost", "127.0.0.1", "::1", fromEmulator]

    /// Whether a certificate can name the host: false for the addresses that stand for all of a machine.
    static func isOne(_ host: String) -> Bool { host != "0.0.0.0" && host != "::" }

    /// Whether the text is an address, an IPv6 one in brackets, or a name of labels (RFC 1123 §2.1).
    static func isHost(_ text: String) -> Bool {
        if text.hasPrefix("[") { return text.hasSuffix("]") && octets(String(text.dropFirst().dropLast()))?.count == 16 }
        return text.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { isHostLabel($0) }
    }

    /// The bytes of an address; nil for a name.
    package static func octets(_ host: String) -> [UInt8]? {
        var octets = [UInt8](repeating: 0, count: 16)
        if inet_pton(AF_INET, host, &octets) == 1 { return Array(octets.prefix(4)) }
        return inet_pton(AF_INET6, host, &octets) == 1 ? octets : nil
    }
}
