import BankModel

/// One of several servers that share nothing: the name that its sessions' ids begin with, so that a proxy finds the server of a request.
package struct ServerNode: Sendable, Hashable, CustomStringConvertible {
    /// `[a-z0-9]{1,20}`, such as `n2`.
    package let name: String

    /// Nil if the text cannot be a node's name.
    package init?(_ name: some StringProtocol) {
        guard (1...20).contains(name.utf8.count), name.utf8.allSatisfy({ $0.isLowercase || $0.isDigit }) else { return nil }
        self.name = String(name)
    }

    /// The header that names the node on every response of its admin API.
    package static let header = "X-Counterfoil-Node"

    package static let expectedText = "1 to 20 of a-z and 0-9"

    package var description: String { name }

    /// The beginning of all its sessions' ids, such as `n2-`.
    package var prefix: String { name + "-" }

    /// The id of a session with that name: `n2-mine` for `mine`, and for `n2-mine` too.
    package func id(named name: String) -> String { name.hasPrefix(prefix) ? name : prefix + name }

    /// The node whose session has that id, as far as its text shows; nil if it begins with no node's name.
    package init?(ofSession id: some StringProtocol) {
        let name = id.prefix { $0 != "-" }
        guard name.endIndex < id.endIndex, let node = ServerNode(name) else { return nil }
        self = node
    }
}
