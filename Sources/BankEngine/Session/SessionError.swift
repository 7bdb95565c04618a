package import BankModel

/// The reason why a session cannot be made, found or removed.
package enum SessionError: Error, Sendable, Hashable, CustomStringConvertible {
    case badName(String)
    case nameTaken(String)
    case unknown(String)
    /// The id begins with another node's name.
    case elsewhere(String, node: ServerNode, here: ServerNode)
    /// The id begins with this node's name.
    ///
    /// - Parameters:
    ///   - since: when this node was started.
    ///   - restored: how many sessions it found in its state file then.
    case gone(String, node: ServerNode, since: Instant, restored: Int)
    /// The default session of a bank, on a node that serves named sessions only.
    case namedSessionsOnly(node: ServerNode)
    case unknownBank(String, known: [String])
    /// A session of that id exists, with another setting.
    case different(String, setting: String, found: String, expected: String)
    /// A default session cannot be removed.
    case undeletable(String)
    case tooMany(Int)
    /// The quota of a label, written as `team=ios`, is used up.
    case quota(label: String, Int)

    package var description: String {
        switch self {
        case .badName(let name):
            "found the session name \"\(name)\", expected 1 to 63 of a-z, 0-9 and -, not beginning with -"
        case .nameTaken(let name): "a session named \(name) already exists; remove it first, or choose another name"
        case .unknown(let id): "there is no session \(id)"
        case .elsewhere(let id, let node, let here):
            "\(id) is a session of the node \(node), and this is the node \(here): send the request to \(node)"
        case .gone(let id, let node, let since, let restored):
            "there is no session \(id): the node \(node) has run since \(since.rfc3339(.seconds)), when it restored \(counted(restored, "session"))"
        case .namedSessionsOnly(let node):
            "found no session, expected one: the node \(node) serves named sessions only. POST /__admin/sessions creates one, "
                + "and its base_url or the header X-Counterfoil-Session names it; serve --standing also serves requests without a session"
        case .unknownBank(let name, let known): "found the bank \"\(name)\", expected \(oneOf(known))\(didYouMean(name, among: known))"
        case .different(let id, let setting, let found, let expected):
            "the session \(id) already exists, with another \(setting): found \(found), expected \(expected); remove it first, or choose another id"
        case .undeletable(let id): "\(id) is a bank's default session and cannot be removed; reset it instead"
        case .tooMany(let limit): "there are already \(limit) sessions, the maximum of this server; remove one first"
        case .quota(let label, let quota):
            "\(counted(quota, "session")) labelled \(label) already \(quota == 1 ? "exists" : "exist"), the maximum that serve --quota allows; remove one first"
        }
    }
}
