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
}

extension BugAddress {
    /// The address, and the link if that is another text.
    var words: String { text == link ? text : "\(text) \(link)" }
}

extension BugAddress: Hashable {
    /// Whether both name one thread.
    package static func == (one: BugAddress, other: BugAddress) -> Bool { one.thread == other.thread }

    package func hash(into hasher: inout Hasher) { hasher.combine(thread) }
}

extension BugAddress {
    package static let format = Format<BugAddress>(
        .text(TextSchema(expected, pattern: "[A-Za-z0-9-]+/[A-Za-z0-9._-]+( PR)?#[0-9]+|[A-Z][A-Z0-9]+-[0-9]+|https://.+")),
        read: { node, complaints in
            guard let text = node.text(complaints, expected: expected) else { return nil }
            return BugAddress(text) ?? node.wrong(complaints, expected)
        }, write: { .string($0.text) })
}
