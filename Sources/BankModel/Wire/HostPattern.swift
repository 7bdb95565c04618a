/// A name under which a server may be called, such as that of a Kubernetes service; with `*.` in front, any one label before it.
///
/// A wildcard needs two labels behind it: a page of any site under `*.com` could steer the server else.
package struct HostPattern: Sendable, Hashable, CustomStringConvertible {
    package let description: String

    package static let expectedText = "a host without a port such as mock.example or *.mock.svc.cluster.local"

    /// Nil if the text is not such a name.
    package init?(_ text: String) {
        let labels = text.split(separator: ".", omittingEmptySubsequences: false)
        let rest = labels.first == "*" ? labels.dropFirst() : labels[...]
        guard rest.count >= (labels.first == "*" ? 2 : 1), text.utf8.count <= 253, rest.allSatisfy({ isHostLabel($0) }) else { return nil }
        description = text
    }

    /// Whether it is the name of a host, given without its port and in small letters.
    package func fits(_ host: String) -> Bool {
        guard description.hasPrefix("*.") else { return host == description }
        let first = host.prefix { $0 != "." }
        return !first.isEmpty && host.dropFirst(first.count) == description.dropFirst()
    }
}
