package import BankEngine
import BankModel

/// The address by which clients reach a server through a proxy, such as `https://mock.example/{node}`.
package struct PublicURL: Sendable, Hashable {
    /// With its placeholders, without a slash at the end.
    private let template: String

    /// The names in braces that stand for something of the server's.
    package enum Placeholder: String, Sendable, CaseIterable {
        case node, session
    }

    /// - Throws: ``PublicURLError`` with what was expected.
    package init(_ text: String, _ known: Set<Placeholder> = [.node, .session]) throws(PublicURLError) {
        template = text.hasSuffix("/") ? String(text.dropLast()) : text
        let parts = text.split(separator: "://", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, ["http", "https"].contains(parts[0]) else { throw PublicURLError(text, "an address with http or https") }
        let authority = parts[1].prefix { $0 != "/" }
        guard !authority.isEmpty, authority == authority.lowercased(), !authority.contains("@") else {
            throw PublicURLError(text, "a host in lower case, without a user")
        }
        guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }), !text.contains(where: { "?#\"'\\<>".contains($0) }) else {
            throw PublicURLError(text, "a scheme, a host and an optional path, without a query")
        }
        var rest = text
        for placeholder in known { rest = rest.replacing("{\(placeholder)}", with: "") }
        guard !rest.contains("{"), !rest.contains("}") else {
            throw PublicURLError(text, "no braces other than \(oneOf(known.map { "{\($0)}" }.sorted()))")
        }
        guard !authority.dropFirst().contains("{session}") && (!authority.contains("{session}") || authority.hasPrefix("{session}.")) else {
            throw PublicURLError(text, "{session} as the whole first label of the host, or not at all")
        }
        let sample = authority.replacing("{node}", with: "n").replacing("{session}", with: "s")
        let host = hostName(String(sample))
        let port = sample.dropFirst(host.utf8.count)
        guard LocalNames.isHost(host), port.isEmpty || (UInt16(port.dropFirst()) ?? 0) > 0 && port.dropFirst().allSatisfy(\.isNumber) else {
            throw PublicURLError(text, "the name or address of a host, and an optional port from 1 to 65535")
        }
    }

    /// Whether it contains the placeholder.
    package func names(_ placeholder: Placeholder) -> Bool { template.contains("{\(placeholder)}") }

    package var isSecure: Bool { template.hasPrefix("https:") }

    /// The address, without a slash at the end.
    package func text(_ node: ServerNode?, session: String = "") -> String {
        template.replacing("{node}", with: node?.name ?? "").replacing("{session}", with: session)
    }

    /// The host, without its port; in brackets if it is an IPv6 address.
    package func host(_ node: ServerNode?, session: String = "") -> String { hostName(text(node, session: session)) }

    /// The name that an authority must be able to sign below: that of all nodes and all sessions, if the host's first label names one.
    package func authorityHost(_ node: ServerNode?) -> String {
        let labels = hostName(template).split(separator: ".")
        guard labels.first?.contains("{") == true, labels.count > 2 || labels.last == "localhost" else { return host(node) }
        return labels.dropFirst().joined(separator: ".").replacing("{node}", with: node?.name ?? "")
    }

    /// The hosts that name a session; nil if the host does not.
    func sessionHosts(_ node: ServerNode?) -> SessionHosts? {
        let parts = host(node, session: "{session}").split(separator: "{session}", omittingEmptySubsequences: false)
        return parts.count == 2 ? SessionHosts(before: String(parts[0]), after: String(parts[1])) : nil
    }
}

/// Hosts such as `n2-mine.bank.example`, each of a session.
struct SessionHosts: Sendable, Hashable {
    let before: String
    let after: String

    /// The session's id in a request's authority; nil for any other host.
    func session(in authority: String) -> String? {
        let name = hostName(authority)
        // With a dot at the end it is the same name (RFC 1034 §3.1).
        let host = name.hasSuffix(".") ? name.dropLast() : name[...]
        guard host.hasPrefix(before), host.hasSuffix(after), host.utf8.count > before.utf8.count + after.utf8.count else { return nil }
        let id = host.dropFirst(before.count).dropLast(after.count)
        return SessionRegistry.isID(id) ? String(id) : nil
    }
}

/// An address that cannot be a server's public one.
package struct PublicURLError: Error, Sendable, Hashable, CustomStringConvertible {
    let text: String
    let expected: String

    init(_ text: String, _ expected: String) {
        self.text = text
        self.expected = expected
    }

    package var description: String { "found \(text), expected \(expected), such as https://mock.example/{node}" }
}
