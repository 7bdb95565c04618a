/// The host of an address or an authority, without its port; IPv6 addresses keep their brackets (RFC 3986 §3.2.2).
package func hostName(_ address: String) -> String {
    let authority = address.split(separator: "://", maxSplits: 1).last.map { $0.prefix { $0 != "/" } } ?? ""
    guard let colon = authority.lastIndex(of: ":"), !authority[colon...].contains("]") else { return authority.lowercased() }
    return authority[..<colon].lowercased()
}

/// Whether the text is 1 to 63 small letters, digits and hyphens: a label of a host's name (RFC 1123 §2.1), or a session's id.
package func isHostLabel(_ text: some StringProtocol) -> Bool {
    (1...63).contains(text.utf8.count) && text.utf8.allSatisfy { $0.isLowercase || $0.isDigit || $0 == UInt8(ascii: "-") }
}
