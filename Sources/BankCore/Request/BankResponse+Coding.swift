package import BankModel

extension BankResponse {
    /// Bodies below this size are sent as they are: coded they would be larger (nginx has the same limit, `gzip_min_length`).
    private static let leastCoded = 20

    /// The response of a bank with these codings: one whose body may be coded has `Vary: Accept-Encoding` (RFC 9110 §12.5.5), whatever
    /// the request accepts.
    package func varied(by codings: [ContentCoding]) -> BankResponse {
        guard !codings.isEmpty, isCodable, !headers.varyByCoding else { return self }
        var response = self
        response.headers.append(JournalEntry.Header("Vary", "Accept-Encoding"))
        return response
    }

    /// The coding in which a response that varies is sent; nil if it is sent as it is.
    package func coding(among codings: [ContentCoding], for accepted: AcceptedCodings) -> ContentCoding? {
        guard headers.varyByCoding, status == 304 || isCodable else { return nil }
        return accepted.choice(among: codings)
    }

    /// Whether the body is text that no coding has been applied to; images are compressed already.
    private var isCodable: Bool {
        guard body.count >= BankResponse.leastCoded, !headers.contains(where: { $0.name.isHeaderName("content-encoding") }) else {
            return false
        }
        let type = headers.first { $0.name.isHeaderName("content-type") }?.value.prefix { $0 != ";" }.lowercased() ?? ""
        return type.hasPrefix("text/") || ["json", "xml", "javascript"].contains { type.hasSuffix($0) }
    }
}
