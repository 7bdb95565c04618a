package import BankModel

/// How a bank sends webhooks: requests that report events to a receiver.
package struct WebhookPolicy: Sendable {
    package var signature = WebhookSignature.timestamped
    /// The name of the header with the signature.
    package var header = "Counterfoil-Signature"
    /// The times between attempts, by the session's clock; a delivery ends with the first 2xx, or after the last attempt.
    package var retries: [Duration] = [
        .seconds(5), .seconds(300), .seconds(1800), .seconds(7200), .seconds(18_000), .seconds(36_000), .seconds(36_000),
    ]
    /// The receivers of every new session.
    package var receivers: [Receiver] = []
    /// The shapes of deliveries' bodies, by the type of event, or `*` for all others. A shape takes values from the usual body, as from
    /// the body of a request.
    package var bodies: [String: Template] = [:]

    package init() {}

    /// The shape of the body for a type of event; nil for the usual one.
    func body(of type: String) -> Template? { bodies[type] ?? bodies["*"] }

    /// An address that webhooks are sent to.
    package struct Receiver: Sendable, Hashable {
        /// An http or https address.
        package var url: String
        /// The types of events that it gets; nil for all.
        package var types: Set<WebhookEvent.Kind>?
        /// Nil for the bank's.
        package var signature: WebhookSignature?

        package init(url: String, types: Set<WebhookEvent.Kind>? = nil, signature: WebhookSignature? = nil) {
            self.url = url
            self.types = types
            self.signature = signature
        }
    }
}

/// A registered receiver of a session.
package struct Webhook: Sendable, Hashable {
    /// From 1; part of its id and its secrets.
    package let number: Int
    package var receiver: WebhookPolicy.Receiver
    /// How often its secret was replaced.
    package var rotations = 0
    /// When that was last; nil if never.
    package var rotatedAt: Instant?
    /// The faults of its next deliveries, one for each, in order.
    package var faults: [DeliveryFault] = []
    /// The row that an operation has added: to delete it removes the webhook. Nil if no operation has registered it.
    package var row: RowID?
    /// What its receiver gets events about.
    package var about = Operation.Registration.Subject.session

    init(number: Int, _ receiver: WebhookPolicy.Receiver) {
        self.number = number
        self.receiver = receiver
    }

    package var id: String { "webhook-\(number)" }

    /// The same webhook under another number, and so with other secrets.
    func numbered(_ number: Int) -> Webhook {
        var webhook = Webhook(number: number, receiver)
        (webhook.rotations, webhook.rotatedAt, webhook.faults, webhook.row, webhook.about) = (rotations, rotatedAt, faults, row, about)
        return webhook
    }

    /// Whether its receiver gets events about a payment, a row of a list, or a consent with that row; nil for one without a row.
    func isAbout(_ other: RowID?) -> Bool { about == .session || row != nil && row == other }

    /// How long an old secret remains valid beside the new one, by the session's clock.
    package static let overlap = Duration.seconds(86_400)

    /// The maximum number of webhooks of a session that are about all of it, and of faults that wait.
    package static let most = 16
    /// The maximum number of webhooks about one row each, of one table.
    package static let mostOfRows = 100
    package static let mostFaults = 100
}

/// What a delivery announces.
package struct WebhookEvent: Sendable, Hashable {
    package let id: String
    package let kind: Kind
    package let created: Instant
    /// What happened to: a payment, the row of a list, or a consent.
    package let object: JSONObject
    /// The table of the consent that it is about; nil for any other event.
    package var table: String?

    package enum Kind: String, Sendable, CaseIterable {
        /// A second person has authorised a payment, which ends later.
        case authorised = "payment.authorised"
        case settled = "payment.settled"
        case rejected = "payment.rejected"
        case cancelled = "payment.cancelled"
        case returned = "payment.returned"
        /// The customer must confirm a payment.
        case challenged = "payment.challenged"
        case transaction = "transaction.created"
        case consentAuthorised = "consent.authorised"
        case consentRejected = "consent.rejected"
        /// The customer or the app has ended a consent.
        case consentRevoked = "consent.revoked"
        case consentExpired = "consent.expired"

        /// Those about a consent.
        package static let ofConsents: [Kind] = [.consentAuthorised, .consentRejected, .consentRevoked, .consentExpired]
    }

    /// The type that deliveries name.
    ///
    /// - Parameter isUnknown: whether it is another event about the same payment, row or consent, of a type that banks do not send.
    func type(isUnknown: Bool) -> String { isUnknown ? WebhookEvent.unknownType : kind.rawValue }

    /// The usual body of its deliveries.
    func body(isUnknown: Bool) -> JSON {
        [
            "id": .string(isUnknown ? id + "-unknown" : id), "type": .string(type(isUnknown: isUnknown)),
            "created": .int((created - Instant(seconds: 0)).components.seconds), "data": ["object": .object(object)],
        ]
    }

    /// The state of the consent that it is about; nil for any other event.
    var consentState: ConsentState? { table == nil ? nil : object["state"]?.string.flatMap { ConsentState(rawValue: $0) } }

    /// A type that banks do not send.
    package static let unknownType = "payment.reviewed"
}

/// One event for one receiver.
package struct Delivery: Sendable, Hashable {
    /// From 0 in each session, in the order in which they were made.
    package let number: Int
    package let webhook: Int
    package let event: WebhookEvent
    /// The index of the movement that it is about, the negative number of the challenge, or ``ofConsents``: deliveries about one are sent in
    /// order.
    package let movement: Int
    /// The fault that is still to be applied.
    package var fault: DeliveryFault?
    package var attempts: [Attempt] = []
    /// The instant of the next attempt; nil if it has ended.
    package var next: Instant?

    /// In place of the movement, for what is about a consent.
    static let ofConsents = Int.min

    package struct Attempt: Sendable, Hashable {
        /// By the session's clock.
        package var at: Instant
        /// The status of the response; nil if there was none.
        package var status: Int?
        /// Why there was none.
        package var failure: String?
        /// The fault that was injected into it.
        package var fault: DeliveryFault?
        package var milliseconds: Int
        /// Whether the receiver did not answer in time.
        package var tookTooLong = false
        /// How far the session's clock was ahead of the machine's, in seconds.
        package var clockOffset = 0

        package init(at: Instant, status: Int? = nil, failure: String? = nil, fault: DeliveryFault? = nil, milliseconds: Int = 0) {
            self.at = at
            self.status = status
            self.failure = failure
            self.fault = fault
            self.milliseconds = milliseconds
        }

        /// Whether the receiver has accepted it.
        package var isAccepted: Bool { status.map { (200..<300).contains($0) } ?? false }
    }

    package enum State: String, Sendable, CaseIterable {
        case waiting
        case delivered
        case failed
    }

    package var state: State {
        if next != nil { return .waiting }
        return attempts.contains { $0.isAccepted && !($0.fault?.isPreceding ?? false) } ? .delivered : .failed
    }
}

/// A fault that is injected into a delivery: ``about`` says what each does.
package enum DeliveryFault: String, Sendable, CaseIterable {
    case duplicate, burst, reordered, late, stale, forged, altered
    case unknownKey = "unknown-key"
    case unknownType = "unknown-type"
    case missing, slow

    /// Whether it sends something else before the real delivery, whatever the answer.
    package var isPreceding: Bool {
        switch self {
        case .stale, .forged, .altered, .unknownKey, .unknownType: true
        default: false
        }
    }

    /// When, or how, the delivery is sent.
    package var about: String {
        switch self {
        case .duplicate: "sent again after it was accepted"
        case .burst: "sent 20 times more after it was accepted"
        case .reordered: "sent after the next delivery, or after a minute of the session clock"
        case .late: "sent an hour of the session clock later"
        case .stale: "first a copy signed ten minutes ago"
        case .forged: "first a copy signed with another secret"
        case .altered: "first a copy whose body was changed by one byte after it was signed"
        case .unknownKey: "first a copy signed with an unknown key"
        case .unknownType: "first an event of a type that no receiver knows"
        case .missing: "never sent"
        case .slow: "the body takes two seconds"
        }
    }

    /// The number of times that it repeats an accepted delivery.
    var repeats: Int {
        switch self {
        case .duplicate: 1
        case .burst: 20
        default: 0
        }
    }
}
