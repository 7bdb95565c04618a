package import BankModel

/// A response as a checker saw it, of a provider or of the stub.
package struct ObservedResponse: Sendable, Hashable {
    package var status: Int
    package var headers: [JournalEntry.Header] = []
    package var body: [UInt8] = []

    /// The value of the first header of that name, whatever its case.
    package func header(_ name: String) -> String? { headers.value(of: name) }

    /// The media type in lower case without parameters; nil if none is stated.
    package var mediaType: String? {
        header("Content-Type").map { stated in String(stated.prefix { $0 != ";" }).filter { $0 != " " }.lowercased() }
    }

    /// Whether the body is JSON by its type (RFC 6839 §3.1).
    package var saysJSON: Bool { mediaType.map { $0 == "application/json" || $0.hasSuffix("+json") } ?? false }

    /// The body, if it is JSON by its type and in fact.
    package var json: JSON? { saysJSON ? try? JSON(parsing: body) : nil }

    /// Whether the body is a page for people, whatever the type is.
    package var looksLikeHTML: Bool { mediaType == "text/html" || body.isHTML }

    /// The status and where it leads, in words; of an address only scheme and host are shown, because the rest may contain a secret.
    package var statusText: String {
        guard (300..<400).contains(status), status != 304, let location = header("Location") else { return "\(status)" }
        return "\(status), a redirect to \(ObservedResponse.origin(of: location))"
    }

    /// Scheme, host and port of an address without what is before an `@`; `the same host` for a path alone.
    private static func origin(of location: String) -> String {
        guard let mark = location.firstRange(of: "://") else { return "the same host" }
        let authority = location[mark.upperBound...].prefix { !"/?#".contains($0) }
        let host = authority.lastIndex(of: "@").map { authority[authority.index(after: $0)...] } ?? authority
        return location[..<mark.upperBound].filter { !$0.isWhitespace } + host.prefix(120)
    }
}
