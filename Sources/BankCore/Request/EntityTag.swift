import BankModel

/// Identifies a body (RFC 9110 §8.8.3): equal bodies have equal tags.
package struct EntityTag: Sendable, Hashable {
    /// The value of the header `ETag`, in quotes.
    package let text: String

    /// The tag of a body; it is read to its end once.
    package init(of body: [UInt8]) { text = "\"\(String(FNV1a.hash(body), radix: 36))\"" }

    /// Whether `If-None-Match` means that the client has the body (RFC 9110 §13.1.2): `*`, or a list that contains the tag,
    /// weak or not.
    package func isKnown(by condition: String) -> Bool { isNamed(in: condition, evenIfWeak: true) }

    /// Whether `If-Match` means that the client knows the body (RFC 9110 §13.1.1): `*`, or a list that contains the tag. A weak
    /// tag does not count.
    package func isMatched(by condition: String) -> Bool { isNamed(in: condition, evenIfWeak: false) }

    private func isNamed(in condition: String, evenIfWeak: Bool) -> Bool {
        var rest = Substring(condition).drop { $0 == " " || $0 == "\t" }
        if rest.first == "*" { return rest.dropFirst().allSatisfy { $0 == " " || $0 == "\t" } }
        while true {
            rest = rest.drop { $0 == " " || $0 == "\t" || $0 == "," }
            let isWeak = rest.hasPrefix("W/")
            if isWeak { rest = rest.dropFirst(2) }
            guard rest.first == "\"", let end = rest.dropFirst().firstIndex(of: "\"") else { return false }
            if rest[...end] == text, evenIfWeak || !isWeak { return true }
            rest = rest[rest.index(after: end)...]
        }
    }
}

extension BankResponse {
    /// The response for a client that has the body: 304 and the caching headers (RFC 9110 §15.4.5). Nil for a response without an
    /// entity tag, and for all but a 200.
    package var unmodified: BankResponse? {
        guard status == 200, tag != nil else { return nil }
        var response = self
        (response.status, response.body) = (304, [])
        response.headers.removeAll { $0.name.lowercased() == "content-type" }
        return response
    }

    /// The response to that request: the whole one, or 304.
    package func conditional(on request: BankRequest) -> BankResponse {
        guard let tag, let condition = request.headers.condition, tag.isKnown(by: condition) else { return self }
        return unmodified ?? self
    }
}

extension [JournalEntry.Header] {
    /// The value of `If-None-Match`, its lines combined (RFC 9110 §5.3); nil if there is none.
    package var condition: String? { combined("if-none-match") }

    /// The value of `If-Match`, its lines combined; nil if there is none.
    var precondition: String? { combined("if-match") }

    private func combined(_ name: String) -> String? {
        let lines = filter { $0.name.utf8.count == name.utf8.count && $0.name.lowercased() == name }
        return lines.isEmpty ? nil : lines.map(\.value).joined(separator: ", ")
    }
}
