import BankCore
import BankModel

/// The new settings of a clock; nil leaves one unchanged.
struct ClockSetting: Sendable, CustomStringConvertible {
    let now: Instant?
    let mode: VirtualClock.Mode?
    let skew: Duration?

    /// A frozen clock: the meaning of an instant alone.
    init(now: Instant) {
        self.now = now
        mode = .frozen
        skew = nil
    }

    init(_ beginning: VirtualClock.Beginning) {
        now = beginning.now
        mode = beginning.mode
        skew = beginning.skew
    }

    init?(_ fields: Fields, _ complaints: Complaints) {
        now = fields[AdminKeys.now]
        mode = fields[AdminKeys.mode]
        skew = fields[AdminKeys.skew]
    }

    func apply(to clock: inout VirtualClock, machine: Instant) throws(ClockError) {
        if let now { try clock.set(to: now, machine: machine) }
        if let mode { clock.setMode(mode, machine: machine) }
        if let skew { clock.skew = skew }
    }

    /// The beginning of a session with this clock.
    ///
    /// - Parameter machine: the machine's now, which is that of a clock that names none.
    func beginning(_ machine: Instant) -> VirtualClock.Beginning {
        VirtualClock.Beginning(now: now ?? machine, mode: mode ?? .running, skew: skew ?? .zero)
    }

    /// Whether a session that began so has this clock; what this one leaves open may be anything.
    func began(_ beginning: VirtualClock.Beginning?) -> Bool {
        guard let beginning else { return false }
        return now ?? beginning.now == beginning.now && mode ?? .running == beginning.mode && skew ?? .zero == beginning.skew
    }

    var description: String {
        (now.map { $0.rfc3339(.milliseconds) } ?? "now") + ", " + (mode ?? .running).rawValue
            + (skew.map { ", skew \($0.shortText)" } ?? "")
    }
}
