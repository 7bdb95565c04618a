import BankCore
import BankEngine
import BankModel
import NIOHTTP1

/// The calls that register webhooks and show their deliveries.
extension AdminCall {
    static let listWebhooks = AdminCall(
        .GET, "/sessions/{session}/webhooks", "listWebhooks", "lists its webhooks with the numbers of their deliveries",
        .ok(WebhookShapes.webhooks),
        answer: .ofSession { _, session, _ in
            let book = session.webhooks
            return .json(["webhooks": .array(book.webhooks.map { $0.json(deliveries: book.deliveries) }), "keys": session.webhookKeys])
        })

    static let addWebhook = AdminCall(
        .POST, "/sessions/{session}/webhooks", "addWebhook", "registers a receiver of webhooks: url, events, sign; returns its secret",
        body: WebhookPolicy.Receiver.schema, .created(WebhookShapes.made), rejects: [.unprocessableContent],
        answer: .ofSession { api, session, request in
            let receiver = try api.fields(request, of: WebhookPolicy.Receiver.schema) { fields, complaints in
                WebhookPolicy.Receiver(fields, complaints)
            }
            let made = try session.register(receiver)
            return .json(made.webhook.json(secret: made.secret), status: .created)
        })

    static let getWebhook = AdminCall(
        .GET, "/sessions/{session}/webhooks/{webhook}", "getWebhook", "returns a webhook with its secret and its last deliveries",
        .ok(WebhookShapes.deliveries),
        answer: .ofSession { _, session, request in
            let (webhook, secret) = try session.webhookWithSecret(request.segment("webhook"))
            let deliveries = session.webhooks.deliveries.filter { $0.webhook == webhook.number }.suffix(AdminCall.shownDeliveries)
            var object = webhook.json(secret: secret).object ?? JSONObject([])
            object["deliveries"] = .array(deliveries.map(\.json))
            return .json(.object(object))
        })

    static let removeWebhook = AdminCall(
        .DELETE, "/sessions/{session}/webhooks/{webhook}", "removeWebhook", "removes a webhook; its pending deliveries are not sent", .done,
        answer: .ofSession { _, session, request in
            try session.removeWebhook(request.segment("webhook"))
            return .done
        })

    static let rotateWebhookSecret = AdminCall(
        .POST, "/sessions/{session}/webhooks/{webhook}/secret", "rotateWebhookSecret",
        "replaces the secret of a webhook; the old one remains valid for a day of the session clock", .ok(WebhookShapes.made),
        answer: .ofSession { _, session, request in
            let (webhook, secret) = try session.rotateSecret(of: request.segment("webhook"))
            return .json(webhook.json(secret: secret))
        })

    static let resendWebhook = AdminCall(
        .POST, "/sessions/{session}/webhooks/{webhook}/resend", "resendWebhook",
        "sends a finished delivery again: event; without it, all that failed", body: AdminKeys.resendSchema, .ok(WebhookShapes.resent),
        answer: .ofSession { api, session, request in
            let event = try api.fields(request, of: AdminKeys.resendSchema) { fields, _ in Optional(fields[AdminKeys.deliveredEvent]) }
            let count = try session.resend(request.segment("webhook"), event: event)
            return .json(["resent": .int(count)])
        })

    static let setWebhookFault = AdminCall(
        .POST, "/sessions/{session}/webhooks/{webhook}/faults", "setWebhookFault", "applies a fault to the next deliveries: fault, times",
        body: DeliveryFault.schema, .created(WebhookShapes.webhook), rejects: [.unprocessableContent],
        answer: .ofSession { api, session, request in
            let (fault, times) = try api.fields(request, of: DeliveryFault.schema) { fields, _ in DeliveryFault.read(fields) }
            let webhook = try session.add(fault, times: times, to: request.segment("webhook"))
            return .json(webhook.json(), status: .created)
        })

    /// The number of deliveries that are shown of a webhook, the last ones.
    private static let shownDeliveries = 1000
}

extension Webhook {
    /// The webhook as responses have it.
    ///
    /// - Parameters:
    ///   - secret: left out if nil.
    ///   - deliveries: those of the session, to count; left out if nil.
    fileprivate func json(secret: String? = nil, deliveries: [Delivery]? = nil) -> JSON {
        let types = receiver.types.map { types in WebhookEvent.Kind.allCases.filter(types.contains).map(\.rawValue) } ?? ["*"]
        var object = JSONObject([
            ("id", .string(id)), ("url", .string(receiver.url)), ("events", .array(types.map(JSON.string))),
            ("faults", .array(faults.map { .string($0.rawValue) })),
        ])
        object["sign"] = receiver.signature.map { .string($0.rawValue) }
        object["secret"] = secret.map(JSON.string)
        if let own = deliveries?.filter({ $0.webhook == number }) {
            for state in Delivery.State.allCases { object[state.rawValue] = .int(own.count { $0.state == state }) }
        }
        return .object(object)
    }
}

extension Delivery {
    fileprivate var json: JSON {
        .object(known: [
            "event": .string(event.id), "type": .string(event.kind.rawValue), "created": .string(event.created.rfc3339(.milliseconds)),
            "object": .object(event.object), "state": .string(state.rawValue), "attempts": .array(attempts.map(\.json)),
            "fault": fault.map { .string($0.rawValue) }, "next_at": next.map { .string($0.rfc3339(.milliseconds)) },
        ])
    }
}

extension Delivery.Attempt {
    fileprivate var json: JSON {
        .object(known: [
            "at": .string(at.rfc3339(.milliseconds)), "ms": .int(milliseconds), "status": status.map { .int($0) },
            "failure": failure.map(JSON.string), "fault": fault.map { .string($0.rawValue) },
        ])
    }
}
