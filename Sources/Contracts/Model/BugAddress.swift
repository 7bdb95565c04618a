package import BankModel

/// The public thread that reports a bug: on GitHub, in a public tracker, or at any other address.
///
/// `square/okhttp#9726` is an issue, `OCA/bank-statement-import PR#905` a pull request, `KTOR-6569` an issue of a tracker in
/// ``trackers``; any other thread is named by its whole `https` address.
package struct BugAddress: Sendable {
    /// As contract files write it.
    package let text: String
    /// The thread's page on the web.
    package let link: String
    /// The same in two writings of one thread: GitHub numbers the issues and pull requests of a repository together, and does not
    /// distinguish upper case from lower case.
    private let thread: String

    /// Nil if the text has none of the forms.
    package init?(_ text: String) {
        if let match = text.wholeMatch(of: /([A-Za-z0-9-]+\/[A-Za-z0-9._-]+)( PR)?#([1-9][0-9]{0,8})/) {
            link = "https://github.com/\(match.1)/\(match.2 == nil ? "issues" : "pull")/\(match.3)"
            thread = "\(match.1.lowercased())#\(match.3)"
        } else if let match = text.wholeMatch(of: /([A-Z][A-Z0-9]+)-[1-9][0-9]{0,8}/), let page = BugAddress.trackers[String(match.1)] {
            link = page + text
            thread = text
        } else if text.wholeMatch(of: /https:\/\/[A-Za-z0-9.-]+\/[A-Za-z0-9._~:\/?#@!$&*+,;=%-]+/) != nil {
            link = text
            thread = text
        } else {
            return nil
        }
        self.text = text
    }

    /// The trackers whose issues have a prefix that is theirs alone, each with the address before an issue's id.
    private static let trackers = [
        "KTOR": "https://youtrack.jetbrains.com/issue/", "KT": "https://youtrack.jetbrains.com/issue/",
        "JDK": "https://bugs.openjdk.org/browse/",
    ]

    private static let expected =
        "a public bug such as `square/okhttp#9726`, `OCA/bank-statement-import PR#905`, `KTOR-6569` (of the trackers "
        + trackers.keys.sorted().joined(separator: ", ") + ") or an https address"

    /// The address, and the link if that is another text.
    var words: String { text == link ? text : "\(text) \(link)" }

    package static let format = Format<BugAddress>(
        .text(TextSchema(expected, pattern: "[A-Za-z0-9-]+/[A-Za-z0-9._-]+( PR)?#[0-9]+|[A-Z][A-Z0-9]+-[0-9]+|https://.+")),
        read: { node, complaints in
            guard let text = node.text(complaints, expected: expected) else { return nil }
            return BugAddress(text) ?? node.wrong(complaints, expected)
        }, write: { .string($0.text) })
}

extension BugAddress: Hashable {
    /// Whether both name one thread.
    package static func == (one: BugAddress, other: BugAddress) -> Bool { one.thread == other.thread }

    package func hash(into hasher: inout Hasher) { hasher.combine(thread) }
}

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
