package import BankModel
package import DriverProtocol

/// The preconditions of a case.
package struct Given: Sendable, Hashable {
    /// The customer; nil means the bank's first one.
    package var customer: String?
    /// The only protocol of the session's listener.
    package var wireProtocol: WireProtocol = .h1
    package var timeZone: String = "UTC"
    /// The user's locale; nil if the case does not depend on one.
    package var locale: String?
    /// The outage that the session begins with, and where it was asked for.
    package var plan: WrittenName?
    package var timeouts: CaseStart.Timeouts = CaseStart.Timeouts()
    /// The start of the session's clock; nil if it runs from the real time.
    package var clock: Clock?
    package var address: Address = .session
    /// How the bank makes its customers confirm payments and reads of old rows; nil if it does not.
    package var challenges: ChallengeKind?

    /// The start of a clock, and whether it runs from there.
    package struct Clock: Sendable, Hashable {
        package var now: Instant
        package var isFrozen: Bool

        package init(now: Instant, isFrozen: Bool = false) {
            self.now = now
            self.isFrozen = isFrozen
        }

        private static let nowField = Field(required: "now", .instant, "the time at which the session clock starts")
        private static let modeField = Field("mode", .choice(of: Mode.self), default: .running, "whether the clock runs or is frozen")
        private static let schema = ObjectSchema(
            "`clock`", "The start of the session clock.", fields: [nowField, modeField],
            example: "clock: {now: 2026-03-29T00:30:00Z, mode: frozen}")

        static let format = Format<Clock>(.anyOf([Format<Instant>.instant.schema, .object(schema)]), read: { Clock($0, $1) })

        /// Reads an instant, or `{now: 2026-03-29T00:30:00Z, mode: frozen}`.
        private init?(_ node: Node, _ complaints: Complaints) {
            guard case .mapping = node.content else {
                guard let now = node.instant(complaints) else { return nil }
                self.init(now: now)
                return
            }
            let fields = Fields(node, of: Self.schema, complaints)
            let now = fields[Self.nowField]
            let mode = fields[Self.modeField]
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

    package init() {}

    /// Reads `given`; a parameter named like one of its keys sets that key.
    init(_ node: Node?, _ parameters: [String: Node.Content], at position: SourcePosition, _ complaints: Complaints) {
        let fields = Fields(node ?? Node(.mapping([]), at: position), of: Key.schema, complaints)
        func value<Value>(_ field: Field<Value>) -> Value? {
            guard let parameter = parameters[field.key] else { return fields[field] }
            return field.format.read(Node(parameter, at: fields.node(of: field)?.position ?? position), complaints)
        }
        customer = value(Key.customer)
        wireProtocol = value(Key.wireProtocol) ?? wireProtocol
        timeZone = value(Key.timeZone) ?? timeZone
        locale = value(Key.locale)
        clock = value(Key.clock)
        address = value(Key.address) ?? address
        challenges = value(Key.challenges)
        plan = fields[Key.session] ?? nil
        timeouts = fields[Key.timeouts] ?? timeouts
        fields.finish()
    }

    private enum Key {
        static let customer = Field("customer", .text(), "the customer whose data is used; by default the bank's first customer")
        static let wireProtocol = Field(
            "protocol", .choice(of: WireProtocol.self), default: Given().wireProtocol,
            "the only protocol of the session's listener: HTTP/1.1 in clear text, HTTP/1.1 over TLS, or HTTP/2")
        static let timeZone = Field("time_zone", .text(), default: Given().timeZone, "the IANA name of the zone in which days are shown")
        static let locale = Field(
            "locale", localeFormat, "the user's locale, which the client receives, also in LANG and LC_ALL of its process")
        static let clock = Field("clock", Clock.format, "the start of the session clock; by default it starts at the real time and runs")
        static let address = Field(
            "base_url", .choice(of: Address.self), default: Given().address,
            "the bank's address as the client receives it: the session's address, a host name that does not resolve, or a port that "
                + "nothing listens on"
        )
        static let challenges = Field(
            "challenges", .choice(of: ChallengeKind.self),
            "how customers confirm payments and reads of old rows; by default they need not")
        static let session = Field("session", sessionFormat, "the state in which the session starts")
        static let timeouts = Field("timeouts", timeoutsFormat, "the client's time limits")

        static let schema = ObjectSchema(
            "`given`", "The preconditions of a case. A key of the matrix with one of these names sets it.",
            fields: [customer, wireProtocol, timeZone, locale, clock, address, challenges, session, timeouts],
            example: "given: {protocol: h1s, timeouts: {connect_ms: 500, total_ms: 700}}")

        private static let expectedLocale = "a language and a country, such as `de_DE`"
        private static let localeFormat = Format<String>(
            .text(TextSchema(expectedLocale, pattern: "[a-z]{2,3}_[A-Z]{2}")),
            read: { node, complaints in
                guard let text = node.scalar, text.wholeMatch(of: /[a-z]{2,3}_[A-Z]{2}/) != nil else {
                    return node.wrong(complaints, expectedLocale)
                }
                return text
            })

        private static let plan = Field("plan", .node(.text(TextSchema("the name of an outage"))), "the outage that runs from the start")
        private static let sessionFormat: Format<WrittenName?> = .object(
            ObjectSchema("`session`", "The state in which a case's session starts.", fields: [plan]),
            read: { fields, complaints in
                .some(fields[plan].flatMap { node in node.text(complaints).map { WrittenName(name: $0, position: node.position) } })
            })

        private static let usual = CaseStart.Timeouts()
        private static let connect = Field(
            "connect_ms", .int(in: 1...600_000), default: usual.connectMilliseconds, "the time limit for connecting, in milliseconds")
        private static let total = Field(
            "total_ms", .int(in: 1...600_000), default: usual.totalMilliseconds, "the time limit for the complete response, in milliseconds"
        )
        private static let timeoutsFormat: Format<CaseStart.Timeouts> = .object(
            ObjectSchema("`timeouts`", "The client's time limits for responses of the bank.", fields: [connect, total]),
            read: { fields, _ in
                var timeouts = usual
                timeouts.connectMilliseconds = fields[connect] ?? timeouts.connectMilliseconds
                timeouts.totalMilliseconds = fields[total] ?? timeouts.totalMilliseconds
                return timeouts
            })
    }

    static let schema = Key.schema
}
