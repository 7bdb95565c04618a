package import BankModel
package import Faults
import StubServer

/// The configuration of an admin API: its address, its token, and the outages that it can start.
///
/// It has a token if others can reach the API or the bank: a client that can steer a server can read its journal.
package struct AdminConfiguration: Sendable {
    /// 0 for any free one.
    let port: Int
    let host: String
    /// The bearer token that every call must send; nil if none is required.
    let token: String?
    /// The outages that can be started by name.
    let plans: PlanSource
    /// More names under which it may be called.
    let hostNames: [HostPattern]
    /// The address by which people reach it through a proxy, without a slash at the end; nil if it is its own.
    let publicURL: String?
    /// Makes a session's own token.
    var makeSessionToken: @Sendable () -> SessionToken = {
        var generator = SystemRandomNumberGenerator()
        return SessionToken(using: &generator)
    }

    /// - Parameter bankHost: the address of the banks' port.
    /// - Throws: ``AdminTokenMissing`` without a token, if one of the two addresses is not a loopback address.
    package init(
        port: Int, host: String = "127.0.0.1", token: String? = nil, plans: PlanSource = .none, hostNames: [HostPattern] = [],
        publicURL: String? = nil, bankHost: String
    ) throws(AdminTokenMissing) {
        if token == nil, let open = [bankHost, host].first(where: { !$0.isLoopback }) { throw AdminTokenMissing(host: open) }
        self.port = port
        self.host = host
        self.token = token
        self.plans = plans
        self.hostNames = hostNames
        self.publicURL = publicURL
    }
}

/// Others can reach a server, and no token keeps them from its admin API.
package struct AdminTokenMissing: Error, Hashable, CustomStringConvertible {
    /// The address that others can reach.
    let host: String

    package var description: String {
        "found the address \(host), which others can reach, and no --admin-token; expected one, so that not everyone can control the server"
    }
}

/// The source of the plans that an admin API starts by name: the API itself reads no files.
package struct PlanSource: Sendable {
    /// The names of all plans, sorted.
    package var names: @Sendable () -> [String]
    /// Reads a plan by its name; throws if it is faulty or unknown.
    package var load: @Sendable (String) throws -> Plan

    package init(names: @escaping @Sendable () -> [String], load: @escaping @Sendable (String) throws -> Plan) {
        self.names = names
        self.load = load
    }

    package static let none = PlanSource(
        names: { [] }, load: { name in throw AdminProblem.notFound("found the outage \"\(name)\"; this server has none") })
}
