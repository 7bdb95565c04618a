import BankModel

/// Operations that register webhooks.
extension SessionState {
    /// Registers the receiver that a request names, for the row that the operation has added.
    mutating func perform(_ registration: Operation.Registration, _ scope: Scope) throws(RequestRejection) {
        guard let inserted = scope.inserted else { return }
        let address = value(registration.url, scope) ?? .null
        if registration.about == .row, address == .null { return }
        guard let url = address.string else {
            throw RequestRejection(
                .badRequest, "found no text for \(registration.url.location), expected an address such as http://127.0.0.1:9000/hook")
        }
        let types = try types(registration, scope)
        do throws(WebhookError) {
            let receiver = WebhookPolicy.Receiver(url: url, types: types)
            do throws(WebhookError) { try checkAddress(of: receiver) } catch {
                // A payment is made whether or not anybody can be notified of it.
                guard registration.about == .session else { return }
                throw error
            }
            _ = try register(receiver, of: Webhook.Row(table: inserted.table, key: inserted.row.key), about: registration.about)
        } catch {
            throw RequestRejection(.badRequest, "\(error)")
        }
    }

    /// Checks an address by the rules of the session's server; without a server only its form.
    private func checkAddress(of receiver: WebhookPolicy.Receiver) throws(WebhookError) {
        if let addressCheck { return try addressCheck(receiver.url) }
        guard receiver.hasAddress else {
            throw .address(
                "found the address \(ProviderAddress.shown(receiver.url)), expected \(WebhookPolicy.Receiver.expectedAddress)")
        }
    }

    /// The types of events that a request names; nil for all.
    private mutating func types(
        _ registration: Operation.Registration, _ scope: Scope
    ) throws(RequestRejection) -> Set<WebhookEvent.Kind>? {
        guard let source = registration.events, let wanted = value(source, scope), wanted != .null else { return registration.allTypes }
        let known = registration.knownNames
        guard let elements = wanted.array, !elements.isEmpty else {
            throw RequestRejection(.badRequest, "found no list for \(source.location), expected names of \(oneOf(known))")
        }
        var types: Set<WebhookEvent.Kind> = []
        var isAll = false
        for element in elements {
            let name = element.string ?? "that is not text"
            guard known.contains(name) else {
                throw RequestRejection(
                    .badRequest,
                    "found the type \(name.shortened(to: 40)) in \(source.location), expected \(oneOf(known))"
                        + didYouMean(name, among: known))
            }
            if let named = registration.types(of: name) { types.formUnion(named) } else { isAll = true }
        }
        return isAll ? nil : types
    }
}
