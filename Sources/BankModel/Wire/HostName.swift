/// The host of an address or an authority, without its port; IPv6 addresses keep their brackets (RFC 3986 §3.2.2).
package func hostName(_ address: String) -> String {
    let authority = address.split(separator: "://", maxSplits: 1).last.map { $0.prefix { $0 != "/" } } ?? ""
    guard let colon = authority.lastIndex(of: ":"), !authority[colon...].contains("]") else { return authority.lowercased() }
    return authority[..<colon].lowercased()
}
