/// The address of a real API: its origin, and the path below which the API is.
package struct ProviderAddress: Sendable, Hashable {
    package let isSecure: Bool
    /// In lower case; an IPv6 address without its brackets.
    package let host: String
    package let port: Int
    /// Empty, or with a leading slash and without a trailing one.
    package let path: String

    /// - Returns: nil if the text is not an http or https address with a host and without user, query and fragment.
    package init?(_ text: String) {
        let parts = text.split(separator: "://", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, ["http", "https"].contains(parts[0].lowercased()) else { return nil }
        isSecure = parts[0].lowercased() == "https"
        let authority = parts[1].prefix { $0 != "/" }
        let path = parts[1].dropFirst(authority.count)
        // A request line ends at a control character.
        guard !parts[1].utf8.contains(where: { $0 <= 0x20 || $0 == 0x7F || "?#@".utf8.contains($0) }) else { return nil }
        var name = authority[...]
        var digits: Substring?
        if authority.hasPrefix("["), let end = authority.firstIndex(of: "]") {
            name = authority[authority.index(after: authority.startIndex)..<end]
            let rest = authority[authority.index(after: end)...]
            guard rest.isEmpty || rest.hasPrefix(":") else { return nil }
            digits = rest.isEmpty ? nil : rest.dropFirst()
        } else if let colon = authority.firstIndex(of: ":") {
            name = authority[..<colon]
            digits = authority[authority.index(after: colon)...]
        }
        guard !name.isEmpty else { return nil }
        host = name.lowercased()
        if let digits {
            guard let port = Int(digits), (1...65_535).contains(port) else { return nil }
            self.port = port
        } else {
            port = isSecure ? 443 : 80
        }
        self.path = String(path.reversed().drop { $0 == "/" }.reversed())
    }

    /// An address as a message shows it: cut, and without a user or password.
    package static func shown(_ text: String) -> String {
        guard let at = text.lastIndex(of: "@") else { return text.shortened(to: 80) }
        let start = text.firstRange(of: "://").map { min($0.upperBound, at) } ?? text.startIndex
        return (text[..<start] + "…" + text[at...]).description.shortened(to: 80)
    }

    /// The host and, unless it is the scheme's own, the port: the value of `Host`.
    package var authority: String { port == (isSecure ? 443 : 80) ? host.urlHost : "\(host.urlHost):\(port)" }

    /// `https://host`
    package var origin: String { "\(isSecure ? "https" : "http")://\(authority)" }

    /// Whether a path is the address's own or below it, once `.` and `..` in it are resolved (RFC 3986 §5.2.4).
    ///
    /// - Parameter target: may have a query and a fragment.
    package func covers(_ target: String) -> Bool {
        let own = ProviderAddress.segments(path[...])
        let asked = ProviderAddress.segments(target.prefix { $0 != "?" && $0 != "#" })
        return asked.starts(with: own)
    }

    /// The segments of a path without `.` and `..`, also if their dots are escaped.
    private static func segments(_ path: Substring) -> [String] {
        var segments: [String] = []
        for segment in path.split(separator: "/") {
            switch segment.lowercased().replacing("%2e", with: ".") {
            case ".": break
            case "..": _ = segments.popLast()
            default: segments.append(String(segment))
            }
        }
        return segments
    }

    /// Its path, and those below it, if an address is of this origin; nil if it is of another.
    package func target(of url: String) -> String? {
        let scheme = url.prefix { $0 != ":" }.lowercased()
        guard scheme == "http" || scheme == "https", let mark = url.firstRange(of: "://") else { return nil }
        let rest = url[mark.upperBound...]
        let authority = rest.prefix { !"/?#".contains($0) }
        let target = rest.dropFirst(authority.count)
        guard let other = ProviderAddress("\(scheme)://\(authority)"), other.origin == origin else { return nil }
        return target.hasPrefix("/") ? String(target) : "/" + target
    }
}

extension String {
    /// The host as it stands in a URL: IPv6 addresses in brackets.
    package var urlHost: String { contains(":") ? "[\(self)]" : self }
}

/// The host of an address or an authority, without its port; IPv6 addresses keep their brackets (RFC 3986 §3.2).
package func hostName(_ address: String) -> String {
    let authority = address.split(separator: "://", maxSplits: 1).last.map { $0.prefix { !"/?#".contains($0) } } ?? ""
    guard let colon = authority.lastIndex(of: ":"), !authority[colon...].contains("]") else { return authority.lowercased() }
    return authority[..<colon].lowercased()
}

/// Whether the text is 1 to 63 small letters, digits and hyphens: a label of a host's name (RFC 1123 §2.1), or a session's id.
package func isHostLabel(_ text: some StringProtocol) -> Bool {
    (1...63).contains(text.utf8.count) && text.utf8.allSatisfy { $0.isLowercase || $0.isDigit || $0 == UInt8(ascii: "-") }
}
