/// The content codings that a request accepts, by its header `Accept-Encoding` (RFC 9110 §12.5.3).
package struct AcceptedCodings: Sendable, Hashable {
    /// Weights in thousandths by name, in small letters; empty if the request names none.
    private let weights: [String: Int]

    /// - Parameter headers: those of the request; several lines are one list.
    package init(_ headers: [JournalEntry.Header]) {
        var weights: [String: Int] = [:]
        for header in headers where header.name.isHeaderName("accept-encoding") {
            for member in header.value.split(separator: ",") {
                let parts = member.split(separator: ";", omittingEmptySubsequences: false).map { $0.trimmed.lowercased() }
                guard let name = parts.first, !name.isEmpty else { continue }
                // `x-gzip` is the same coding (RFC 9110 §8.4.1.3).
                weights[name == "x-gzip" ? "gzip" : name] = AcceptedCodings.weight(parts.dropFirst())
            }
        }
        self.weights = weights
    }

    /// The coding that the request weighs most, of equals the first; nil if it accepts none of them, or prefers the body as it is.
    package func choice(among codings: [ContentCoding]) -> ContentCoding? {
        var best: ContentCoding?
        var most = 0
        for coding in codings {
            let weight = weights[coding.rawValue] ?? weights["*"] ?? 0
            if weight > most { (best, most) = (coding, weight) }
        }
        if let identity = weights["identity"], identity > most { return nil }
        return best
    }

    /// A value of `Accept-Encoding` without the codings that it rejects, such as `gzip;q=0`.
    package static func accepted(in value: String) -> String {
        value.split(separator: ",", omittingEmptySubsequences: false).filter { member in
            let parts = member.split(separator: ";", omittingEmptySubsequences: false).map { $0.trimmed.lowercased() }
            return weight(parts.dropFirst()) > 0
        }.joined(separator: ",")
    }

    /// A weight (RFC 9110 §12.4.2); 0 for one that is not a number from 0 to 1 with at most three digits after the point.
    private static func weight(_ parameters: ArraySlice<String>) -> Int {
        guard let parameter = parameters.first else { return 1000 }
        let sides = parameter.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(\.trimmed)
        guard parameters.count == 1, sides.count == 2, sides[0] == "q" else { return 0 }
        let digits = sides[1].split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
        let fraction = digits.count == 2 ? digits[1] : ""
        guard let whole = digits.first, whole == "0" || whole == "1", fraction.utf8.count <= 3,
            fraction.utf8.allSatisfy({ 0x30 <= $0 && $0 <= 0x39 })
        else { return 0 }
        let thousandths = Int(fraction + String(repeating: "0", count: 3 - fraction.utf8.count)) ?? 0
        let weight = (whole == "1" ? 1000 : 0) + thousandths
        return weight <= 1000 ? weight : 0
    }
}

extension [JournalEntry.Header] {
    /// The same headers for a body in that coding, an entity tag made weak (RFC 9110 §8.4, §8.8.3.3); 304 has the tag and no body.
    package func announcing(_ coding: ContentCoding, hasBody: Bool) -> [JournalEntry.Header] {
        let headers = map { header in
            guard header.name.isHeaderName("etag"), header.value.hasPrefix("\"") else { return header }
            return JournalEntry.Header(header.name, "W/" + header.value)
        }
        return hasBody ? headers + [JournalEntry.Header("Content-Encoding", coding.rawValue)] : headers
    }

    /// Whether a response with these headers depends on `Accept-Encoding` (RFC 9110 §12.5.5).
    package var varyByCoding: Bool {
        contains { header in
            header.name.isHeaderName("vary")
                && header.value.split(separator: ",").contains { $0.trimmed.lowercased() == "accept-encoding" }
        }
    }
}

extension StringProtocol {
    /// Without the optional white space, spaces and tabs, at either end (RFC 9110 §5.6.3).
    package var trimmed: String {
        let isSpace = { (character: Character) in character == " " || character == "\t" }
        guard let first = firstIndex(where: { !isSpace($0) }), let last = lastIndex(where: { !isSpace($0) }) else { return "" }
        return String(self[first...last])
    }
}
