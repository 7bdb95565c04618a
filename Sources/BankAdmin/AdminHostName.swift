import BankModel

/// A name under which the admin API may be called, such as that of a Kubernetes service; with `*.` in front, any one label before it.
///
/// A wildcard needs two labels behind it: a page of any site under `*.com` could steer the server else.
package struct AdminHostName: Sendable, Hashable, CustomStringConvertible {
    package let description: String

    package static let expectedText = "a host without a port such as mock.example or *.mock.svc.cluster.local"

    /// Nil if the text is no such name.
    package init?(_ text: String) {
        let labels = text.split(separator: ".", omittingEmptySubsequences: false)
        let rest = labels.first == "*" ? labels.dropFirst() : labels[...]
        guard rest.count >= (labels.first == "*" ? 2 : 1), text.utf8.count <= 253,
            rest.allSatisfy({ label in
                (1...63).contains(label.utf8.count)
                    && label.utf8.allSatisfy { byte in
                        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                            || byte == UInt8(ascii: "-")
                    }
            })
        else { return nil }
        description = text
    }

    /// Whether it is the name of a host, given without its port and in small letters.
    func fits(_ host: String) -> Bool {
        guard description.hasPrefix("*.") else { return host == description }
        let first = host.prefix { $0 != "." }
        return !first.isEmpty && host.dropFirst(first.count) == description.dropFirst()
    }
}
