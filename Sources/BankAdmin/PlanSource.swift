package import Faults

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

    package static let none = PlanSource(names: { [] }, load: { name in throw UnknownPlan(name: name) })
}

struct UnknownPlan: Error, CustomStringConvertible {
    let name: String

    var description: String { "found the outage \"\(name)\"; this server has none" }
}
