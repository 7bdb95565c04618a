import BankModel

/// Operations that register webhooks.
extension SessionState {
    /// Registers the receiver that a request names, for the row that the operation has added.
    mutating func perform(_ registration: Operation.Registration, _ scope: inout Scope) throws(RequestRejection) {
        guard let inserted = scope.inserted else { return }
        let address = value(registration.url, scope) ?? .null
        if registration.about == .row, address == .null { return }
        guard let url = address.string else {
            throw .badRequest("found no text for \(registration.url.location), expected an address such as http://127.0.0.1:9000/hook")
        }
        let wanted = try names(registration, scope)
        if registration.about == .row, wanted?.isEmpty ?? false { return }
        do throws(WebhookError) {
            let receiver = WebhookPolicy.Receiver(url: url, types: registration.types(of: wanted))
            do throws(WebhookError) { try checkAddress(of: receiver) } catch {
                // A payment is made whether or not anybody can be notified of it.
                guard registration.about == .session else { return }
                throw error
            }
            _ = try register(receiver, of: RowID(table: inserted.table, key: inserted.row.key), about: registration.about)
        } catch {
            throw .badRequest("\(error)")
        }
        scope.registered = registration.value(of: wanted)
    }

    /// Checks an address by the rules of the session's server; without a server only its form.
    private func checkAddress(of receiver: WebhookPolicy.Receiver) throws(WebhookError) {
        if let addressCheck { return try addressCheck(receiver.url) }
        guard receiver.hasAddress else {
            throw .address("found the address \(ProviderAddress.shown(receiver.url)), expected \(WebhookPolicy.Receiver.expectedAddress)")
        }
    }

    /// The bank's names of the events that a request wants; nil for all.
    ///
    /// A name that the bank does not know is an error. A webhook about a row goes without: the bank does what else it is asked for.
    private mutating func names(_ registration: Operation.Registration, _ scope: Scope) throws(RequestRejection) -> [String]? {
        guard let source = registration.events, let wanted = value(source, scope), wanted != .null else { return nil }
        let known = registration.knownNames
        let elements = registration.elements(of: wanted)
        var names: [String] = []
        if registration.about == .row {
            for name in elements.compactMap(\.string) where known.contains(name) && !names.contains(name) { names.append(name) }
            return names
        }
        guard !elements.isEmpty else {
            let missing = registration.prefix.map { "no names after `\($0)` in" } ?? "no list for"
            throw .badRequest("found \(missing) \(source.location), expected names of \(oneOf(known))")
        }
        for element in elements {
            let name = element.string ?? "that is not text"
            guard known.contains(name) else {
                throw .badRequest(
                    "found the type \(name.shortened(to: 40)) in \(source.location), expected \(oneOf(known))"
                        + didYouMean(name, among: known))
            }
            names.append(name)
        }
        return names
    }
}
