import BankCore
import BankEngine
import BankModel
import StubServer

struct NewSession: Sendable {
    let bank: String
    let name: String?
    let seed: UInt64?
    let clock: ClockSetting?
    let listener: SessionListener
    /// Whether the body sets its port.
    let namesListener: Bool
    /// The outage with which it begins.
    let plan: String?
    let labels: [String: String]?
    let timeToLive: Duration?
    /// Whether `?auto=approve` approves a sign-in without its page.
    let approvesAlone: Bool
    /// Its challenges; nil for those of the bank.
    let challenges: ChallengePolicy.Setting?
    /// Whether the body says so.
    private let namesAuthorize: Bool

    init?(_ fields: Fields, _ complaints: Complaints) {
        let bank = fields[AdminKeys.bank]
        name = fields[AdminKeys.name]
        seed = fields[AdminKeys.seed]
        clock = fields[AdminKeys.clock].flatMap { node in
            if case .scalar = node.content { return node.instant(complaints).map { ClockSetting(now: $0) } }
            let fields = Fields(node, of: AdminKeys.clockSchema, complaints)
            defer { fields.finish() }
            return ClockSetting(fields, complaints)
        }
        namesListener = fields.node(of: AdminKeys.listen) != nil
        listener =
            switch fields[AdminKeys.listen] {
            case "true": .clear()
            case "tls": .tls()
            default: .none
            }
        plan = fields[AdminKeys.plan]
        labels = fields[AdminKeys.labels]
        timeToLive = fields[AdminKeys.timeToLive]
        namesAuthorize = fields.node(of: AdminKeys.authorize) != nil
        approvesAlone = fields[AdminKeys.authorize] == "auto"
        challenges = fields[AdminKeys.challenges]
        guard let bank else { return nil }
        self.bank = bank
    }

    /// The first setting in which an existing session differs; nil if it is as wanted.
    ///
    /// Only the body's own members are compared, and of these only lasting ones: not a plan, which may be over.
    func difference(from session: BankSession) -> SessionError? {
        func different(_ setting: String, _ found: String, _ expected: String) -> SessionError {
            .different(session.id, setting: setting, found: found, expected: expected)
        }
        guard session.bankName == bank else { return different("bank", session.bankName, bank) }
        if let seed, session.seed != seed { return different("seed", "\(session.seed)", "\(seed)") }
        if let clock, !clock.began(session.beginning) {
            return different(
                "clock", session.beginning.map { "\(ClockSetting($0))" } ?? "one that started at the current time", "\(clock)")
        }
        if let labels, session.metadata.labels != labels {
            return different("labels", SessionMetadata.text(session.metadata.labels), SessionMetadata.text(labels))
        }
        if let timeToLive, session.metadata.timeToLive != timeToLive {
            return different("ttl", session.metadata.timeToLive?.shortText ?? "the server's", timeToLive.shortText)
        }
        if namesAuthorize, session.metadata.approvesAlone != approvesAlone {
            return different("authorize", approvesAlone ? "page" : "auto", approvesAlone ? "auto" : "page")
        }
        if let challenges, session.metadata.challenges != challenges {
            return different("challenges", session.metadata.challenges?.rawValue ?? "those of the bank", challenges.rawValue)
        }
        let port =
            session.port == nil
            ? "no separate port" : session.isSecure ? "a separate TLS port" : "a separate port without TLS"
        guard !namesListener || port == listener.words else { return different("listen", port, listener.words) }
        return nil
    }
}

extension SessionListener {
    fileprivate var words: String {
        switch self {
        case .none: "no separate port"
        case .clear: "a separate port without TLS"
        case .tls: "a separate TLS port"
        }
    }
}

extension SessionMetadata {
    /// Labels for a message, such as `team=ios`.
    fileprivate static func text(_ labels: [String: String]) -> String {
        labels.isEmpty ? "none" : labels.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: ", ")
    }
}
