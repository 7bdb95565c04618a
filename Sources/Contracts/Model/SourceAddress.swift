/// The page on the web of a document that a requirement rests on.
enum SourceAddress {
    /// The page of the first document that a text such as `RFC 6750 §3.1; the driver protocol` names; nil if none of them is on the web.
    static func link(_ source: String) -> String? {
        if let match = source.firstMatch(of: /RFC ([0-9]+)(?: §([0-9]+(?:\.[0-9]+)*))?/) {
            return "https://www.rfc-editor.org/rfc/rfc\(match.1)" + section(match.2)
        }
        if let match = source.firstMatch(of: /(draft-[a-z0-9-]+)(?: §([0-9]+(?:\.[0-9]+)*))?/) {
            return "https://datatracker.ietf.org/doc/html/\(match.1)" + section(match.2)
        }
        if let match = source.firstMatch(of: /MASVS-[A-Z]+-[0-9]/) { return "https://mas.owasp.org/MASVS/controls/\(match.0)/" }
        if let match = source.firstMatch(of: /CWE-([0-9]+)/) { return "https://cwe.mitre.org/data/definitions/\(match.1).html" }
        return pages.first { source.contains($0.name) }?.address
    }

    private static func section(_ number: Substring?) -> String { number.map { "#section-\($0)" } ?? "" }

    private static let pages = [
        (name: "PSD2 RTS (EU) 2018/389", address: "https://eur-lex.europa.eu/eli/reg_del/2018/389/oj"),
        (name: "PSD2 (EU) 2015/2366", address: "https://eur-lex.europa.eu/eli/dir/2015/2366/oj"),
        (name: "ISO 4217", address: "https://www.iso.org/iso-4217-currency-codes.html"),
    ]
}
