package import BankModel
package import DriverProtocol

/// How the world is when a case begins.
package struct Given: Sendable, Hashable {
    /// The customer; nil means the bank's first one.
    package var customer: String?
    /// The only protocol of the session's listener.
    package var wireProtocol: WireProtocol = .h1
    package var timeZone: String = "UTC"
    /// The outage that the session begins with, and where it was asked for.
    package var plan: PlanName?
    package var timeouts: CaseStart.Timeouts = CaseStart.Timeouts()
    /// The start of the session's clock; nil if it runs from the real time.
    package var clock: Clock?
    package var address: Address = .session

    /// The start of a clock, and whether it runs from there.
    package struct Clock: Sendable, Hashable {
        package var now: Instant
        package var isFrozen: Bool

        package init(now: Instant, isFrozen: Bool = false) {
            self.now = now
            self.isFrozen = isFrozen
        }

        /// Reads an instant, or `{now: 2026-03-29T00:30:00Z, mode: frozen}`.
        init?(_ node: Node, _ complaints: Complaints) {
            guard case .mapping = node.content else {
                guard let now = node.instant(complaints) else { return nil }
                self.init(now: now)
                return
            }
            let fields = Fields(node, of: "`clock`", complaints)
            let now = fields.required("now")?.instant(complaints)
            let mode = fields["mode"].flatMap { $0.choice(of: Mode.self, complaints) } ?? .running
            fields.finish()
            guard let now else { return nil }
            self.init(now: now, isFrozen: mode == .frozen)
        }

        private enum Mode: String, CaseIterable {
            case running, frozen
        }
    }

    /// The bank's address that the client receives.
    package enum Address: String, Sendable, CaseIterable {
        /// The session's own address.
        case session
        /// A host that no resolver knows (RFC 6761 §6.4).
        case unresolvable
        /// The session's own port, which does not listen.
        case refused
    }

    /// A plan's name and the place where it stands.
    package struct PlanName: Sendable, Hashable {
        package var name: String
        package var place: Place

        package init(_ name: String, at place: Place) {
            self.name = name
            self.place = place
        }
    }

    package init() {}

    /// Reads `given`; a parameter named like one of its keys sets that key.
    init(_ node: Node?, _ parameters: [String: Node.Content], at place: Place, _ complaints: Complaints) {
        let fields = Fields(node ?? Node(.mapping([]), at: place), of: "`given`", complaints)
        func value(_ key: String) -> Node? {
            let written = fields[key]
            return parameters[key].map { Node($0, at: written?.place ?? place) } ?? written
        }
        customer = value("customer").flatMap { $0.text(complaints) }
        wireProtocol = value("protocol").flatMap { $0.choice(of: WireProtocol.self, complaints) } ?? .h1
        timeZone = value("time_zone").flatMap { $0.text(complaints) } ?? timeZone
        clock = value("clock").flatMap { Clock($0, complaints) }
        address = value("base_url").flatMap { $0.choice(of: Address.self, complaints) } ?? .session
        if let node = fields["session"] {
            let session = Fields(node, of: "`session`", complaints)
            plan = session["plan"].flatMap { node in node.text(complaints).map { PlanName($0, at: node.place) } }
            session.finish()
        }
        if let node = fields["timeouts"] {
            let limits = Fields(node, of: "`timeouts`", complaints)
            let range = 1...600_000
            timeouts.connectMilliseconds = limits["connect_ms"]?.int(in: range, complaints) ?? timeouts.connectMilliseconds
            timeouts.totalMilliseconds = limits["total_ms"]?.int(in: range, complaints) ?? timeouts.totalMilliseconds
            limits.finish()
        }
        fields.finish()
    }
}
