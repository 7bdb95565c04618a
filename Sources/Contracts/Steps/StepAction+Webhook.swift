import BankModel
import DriverProtocol

extension StepAction {
    /// What a case does with the webhook of the client's receiver.
    package enum WebhookAction: Sendable, Hashable {
        /// The bank sends events of these types to the receiver; empty: of all types.
        case register([String])
        /// The bank replaces the secret. The old one remains valid for a day.
        case rotate
        /// The next delivery has that fault.
        case fault(WebhookFault)
    }

    /// The faults of deliveries that cases use.
    package enum WebhookFault: String, Sendable, CaseIterable {
        case duplicate, burst, reordered, stale, forged, altered
        case unknownKey = "unknown-key"
        case unknownType = "unknown-type"
    }
}

extension StepAction.WebhookAction: CustomStringConvertible {
    package var description: String {
        switch self {
        case .register(let types): (["register"] + types).joined(separator: " ")
        case .rotate: "rotate"
        case .fault(let fault): fault.rawValue
        }
    }

    var words: String {
        switch self {
        case .register([]): "the bank registers the receiver for all events"
        case .register(let types): "the bank registers the receiver for \(types.joined(separator: ", "))"
        case .rotate: "the bank replaces the receiver's secret"
        case .fault(let fault): "the next delivery to the receiver has the fault `\(fault.rawValue)`"
        }
    }
}

/// The step `webhook`.
extension StepReader {
    static let webhookSchema = Schema.anyOf([
        .words(["register", "rotate"] + StepAction.WebhookFault.allCases.map(\.rawValue)), .object(registrationSchema),
    ])

    private static let registrationSchema = ObjectSchema(
        "`webhook`", named: "webhook-step", "The bank registers the receiver for some types of events.", fields: [register],
        example: "- webhook: {register: [payment.settled, payment.returned]}")
    private static let register = Field(
        required: "register", .texts("a type of events", atLeast: 1), "the types of events to deliver")

    /// Reads `register`, `{register: [payment.settled]}`, `rotate` or a fault.
    func webhook(_ node: Node) -> StepAction? {
        if case .mapping = node.content {
            let fields = Fields(node, of: StepReader.registrationSchema, complaints)
            let types = fields[StepReader.register]
            fields.finish()
            return types.map { .webhook(.register($0)) }
        }
        switch node.scalar {
        case "register": return .webhook(.register([]))
        case "rotate": return .webhook(.rotate)
        default:
            if let fault = node.scalar.flatMap(StepAction.WebhookFault.init) { return .webhook(.fault(fault)) }
            let known = ["register", "rotate"] + StepAction.WebhookFault.allCases.map(\.rawValue)
            return node.wrong(complaints, oneOf(known) + didYouMean(node.scalar ?? "", among: known))
        }
    }
}

/// The order in which the steps of a receiver may come.
struct ReceiverOrder {
    private var hasReceiver = false
    private var isRegistered = false

    /// Notes a step; a complaint if what it needs has not come before it.
    mutating func take(_ action: StepAction, at position: SourcePosition, _ complaints: Complaints) {
        switch action {
        case .operation(.events, _): hasReceiver = true
        case .webhook(.register):
            if !hasReceiver {
                complaints.add(found: "`webhook`", expected: "a step `events` before it, which shows the address", at: position)
            }
            isRegistered = true
        case .webhook where !isRegistered:
            complaints.add(found: "`webhook`", expected: "a step `webhook: register` before it", at: position)
        default: break
        }
    }
}
