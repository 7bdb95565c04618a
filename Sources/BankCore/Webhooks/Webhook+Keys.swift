package import BankModel

/// A receiver as a mapping: in bodies of the admin API, and in `webhooks` of a bank.
extension WebhookPolicy.Receiver {
    private static let url = Field(
        required: "url", .text("an address such as http://127.0.0.1:9000/hook"), "the address that webhooks are sent to")
    private static let events = Field(
        "events", .node(.list(.words(WebhookEvent.Kind.names), atLeast: 1)),
        "the types of events to deliver; by default all, as with `*`")
    private static let sign = Field(
        "sign", .choice(of: WebhookSignature.self),
        "`timestamped`: `t=…,v1=…`, HMAC-SHA256 of `t.body`; `body`: HMAC-SHA256 of the body; `jws`: a detached JWS; `jwt`: the body is a "
            + "signed JWT; by default the bank's")

    package static let schema = ObjectSchema(
        "a webhook", named: "new-webhook", "A receiver of webhooks.", fields: [url, events, sign],
        example: "{\"url\": \"http://127.0.0.1:9000/hook\", \"events\": [\"*\"]}")

    /// Whether its address has the form of one.
    var hasAddress: Bool { ProviderAddress(String(url.prefix { $0 != "?" })) != nil }

    static let expectedAddress = "one such as http://127.0.0.1:9000/hook, without user and fragment"

    /// Reads a receiver; nil, and a complaint, if it has no address.
    package init?(_ fields: Fields, _ complaints: Complaints) {
        let url = fields[WebhookPolicy.Receiver.url]
        let names = fields[WebhookPolicy.Receiver.events]?.elements(complaints) ?? []
        let signature = fields[WebhookPolicy.Receiver.sign]
        var types: Set<WebhookEvent.Kind> = []
        for name in names where name.scalar != "*" {
            if let type = name.scalar.flatMap({ WebhookEvent.Kind(rawValue: $0) }) {
                types.insert(type)
            } else {
                complaints.add(
                    found: "the type \((name.scalar ?? "that is not text").shortened(to: 40))",
                    expected: oneOf(WebhookEvent.Kind.names) + didYouMean(name.scalar ?? "", among: WebhookEvent.Kind.names),
                    at: name.position
                )
            }
        }
        guard let url else { return nil }
        let isAll = names.isEmpty || names.contains { $0.scalar == "*" }
        self.init(url: url, types: isAll ? nil : types, signature: signature)
    }
}

extension WebhookEvent.Kind {
    /// The names in a registration: `*` for all types, and that of each.
    static let names = ["*"] + allCases.map(\.rawValue)
}

extension WebhookPolicy {
    private static let sign = Field(
        "sign", .choice(of: WebhookSignature.self), default: .timestamped, "how deliveries are signed; a receiver can choose another way")
    private static let header = Field(
        "header", .text("a header's name"), "the header with the signature; by default Counterfoil-Signature. With `jwt` there is none")
    private static let retries = Field(
        "retries", .node(.list(Format<Duration>.duration.schema, atLeast: 0)),
        "the times between attempts, by the session clock; by default 5s, 5m, 30m, 2h, 5h, 10h, 10h")
    private static let to = Field(
        "to", .node(.list(.object(Receiver.schema), atLeast: 0)),
        "the receivers of every session; others are registered by the admin API, or by operations with `registers`")
    package static let bodies = Field(
        "bodies", .node(.map(keys: "types of events, or `*`", .any)),
        "the shapes of the bodies, with `{body: …}` for a value of the usual body; a type without one has the usual body")

    package static let schema = ObjectSchema(
        "webhooks", "Requests that notify a receiver of events.", fields: [sign, header, retries, to, bodies],
        example: "{sign: timestamped, retries: [5s, 5m, 1h]}")

    /// Reads everything but ``bodies``, whose values only a reader of banks knows.
    package init(_ fields: Fields, _ complaints: Complaints) {
        self.init()
        signature = fields[WebhookPolicy.sign] ?? signature
        header = fields[WebhookPolicy.header] ?? header
        if let nodes = fields[WebhookPolicy.retries]?.elements(complaints) {
            if nodes.count > WebhookPolicy.mostRetries {
                complaints.add(
                    found: "\(nodes.count) retries", expected: "at most \(WebhookPolicy.mostRetries)", at: nodes[nodes.count - 1].position)
            }
            retries = nodes.compactMap { $0.duration(complaints) }
        }
        let nodes = fields[WebhookPolicy.to]?.elements(complaints) ?? []
        if nodes.count > Webhook.most {
            complaints.add(found: "\(nodes.count) receivers", expected: "at most \(Webhook.most)", at: nodes[Webhook.most].position)
        }
        receivers = nodes.compactMap { node in
            let fields = Fields(node, of: Receiver.schema, complaints)
            let receiver = Receiver(fields, complaints)
            fields.finish()
            // Which hosts are allowed is known only to a server.
            if let receiver, !receiver.hasAddress {
                complaints.add(
                    found: "the address `\(ProviderAddress.shown(receiver.url))`", expected: WebhookPolicy.Receiver.expectedAddress,
                    at: node.position)
            }
            return receiver
        }
    }

    private static let mostRetries = 20
}

extension DeliveryFault {
    private static let fault = Field(required: "fault", .choice(of: DeliveryFault.self), "the fault to inject")
    private static let times = Field(
        "times", .int(in: 1...Webhook.mostFaults), default: 1, "the number of deliveries it applies to")

    package static let schema = ObjectSchema(
        "a delivery fault", named: "delivery-fault", "A fault of the next deliveries of a webhook.",
        fields: [fault, times], example: "{\"fault\": \"duplicate\", \"times\": 1}")

    /// Reads a fault, and how many deliveries it affects.
    package static func read(_ fields: Fields) -> (fault: DeliveryFault, times: Int)? {
        let fault = fields[DeliveryFault.fault]
        let times = fields[DeliveryFault.times] ?? 1
        return fault.map { ($0, times) }
    }
}
