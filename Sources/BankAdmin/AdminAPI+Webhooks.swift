import BankCore
import BankEngine
import BankModel
import NIOHTTP1

extension AdminAPI {
    /// Adds the calls that register webhooks and show their deliveries.
    func addWebhooks(to answers: inout AdminAnswers) {
        answers.ofSession["addWebhook"] = { session, request in
            let receiver = try fields(request, of: WebhookPolicy.Receiver.schema) { fields, complaints in
                WebhookPolicy.Receiver(fields, complaints)
            }
            let made = try session.register(receiver)
            return .json(made.webhook.json(secret: made.secret), status: .created)
        }
        answers.ofSession["listWebhooks"] = { session, _ in
            let book = session.webhooks
            return .json(["webhooks": .array(book.webhooks.map { $0.json(deliveries: book.deliveries) }), "keys": session.webhookKeys])
        }
        answers.ofSession["getWebhook"] = { session, request in
            let (webhook, secret) = try session.webhookWithSecret(request.segment("webhook"))
            let deliveries = session.webhooks.deliveries.filter { $0.webhook == webhook.number }.suffix(AdminAPI.shownDeliveries)
            var object = webhook.json(secret: secret).object ?? JSONObject([])
            object["deliveries"] = .array(deliveries.map(\.json))
            return .json(.object(object))
        }
        answers.ofSession["removeWebhook"] = { session, request in
            try session.removeWebhook(request.segment("webhook"))
            return .done
        }
        answers.ofSession["rotateWebhookSecret"] = { session, request in
            let (webhook, secret) = try session.rotateSecret(of: request.segment("webhook"))
            return .json(webhook.json(secret: secret))
        }
        answers.ofSession["resendWebhook"] = { session, request in
            let event = try fields(request, of: AdminKeys.resendSchema) { fields, _ in Optional(fields[AdminKeys.deliveredEvent]) }
            let count = try session.resend(request.segment("webhook"), event: event)
            return .json(["resent": .int(count)])
        }
        answers.ofSession["setWebhookFault"] = { session, request in
            let (fault, times) = try fields(request, of: DeliveryFault.schema) { fields, _ in DeliveryFault.read(fields) }
            let webhook = try session.add(fault, times: times, to: request.segment("webhook"))
            return .json(webhook.json(), status: .created)
        }
    }

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
