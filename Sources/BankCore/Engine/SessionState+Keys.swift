import BankModel

/// The idempotency key of a request.
struct FoundKey {
    /// The key without its quotes, or an invalid text; nil if there is none.
    var text: String?
    /// The reason why it cannot be a key under any policy.
    var fault: String?
}

extension SessionState {
    /// The key of a request; a key in the body is found once that is parsed.
    mutating func key(_ operation: Operation, _ scope: Scope) -> FoundKey {
        guard let source = operation.key, let policy = prepared.bank.dialect.idempotency else { return FoundKey() }
        guard let written = text(source, scope), !written.isEmpty else { return FoundKey() }
        var key = FoundKey(text: written)
        if case .header(let name)? = source.inRequest {
            if scope.request.headers.count(where: { $0.name.isHeaderName(name) }) > 1 {
                key.fault = "found the header \(name) more than once, expected one"
                return key
            }
            if !written.utf8.allSatisfy({ 0x20 <= $0 && $0 <= 0x7E }),
                let odd = written.unicodeScalars.first(where: { !(0x20...0x7E).contains($0.value) })
            {
                key.fault = "found U+\(hex(odd)) in the header \(name), expected printable ASCII"
                return key
            }
        } else if case .form(let name) = source, scope.form?.repeated.contains(name) ?? false {
            key.fault = "found the form's \(name) more than once, expected one"
            return key
        }
        let isQuoted = written.utf8.first == UInt8(ascii: "\"")
        switch policy.quoted {
        case .no:
            if isQuoted { key.fault = "found a key in quotes, expected it without quotes" }
        case .either where !isQuoted: break
        case .either, .required:
            key.text = structuredString(written)
            if key.text == nil {
                (key.text, key.fault) = (
                    written, "found a key that is not a Structured Field string (RFC 8941 §3.3.3), such as \"k-1\" in quotes"
                )
            }
        }
        return key
    }

    /// The key as the bank compares it; the text itself if it cannot be a key.
    func compared(_ found: FoundKey) -> String? {
        guard let key = found.text, prepared.bank.dialect.idempotency?.isUUID == true, isUUID(key) else { return found.text }
        // The case of its digits has no meaning (RFC 9562 §4).
        return key.lowercased()
    }

    /// The key to be claimed; nil if there is none and none is required.
    func checked(_ found: FoundKey, _ operation: Operation) throws(RequestRejection) -> String? {
        guard operation.key != nil, let policy = prepared.bank.dialect.idempotency else { return nil }
        if let fault = found.fault { throw .badRequest(fault) }
        guard let key = found.text, !key.isEmpty else {
            if policy.required { throw RequestRejection(.keyMissing) }
            return nil
        }
        let length = key.unicodeScalars.count
        guard length <= policy.longest else {
            throw .badRequest("found a key of \(length) characters, expected at most \(policy.longest)")
        }
        guard policy.isUUID else { return key }
        guard isUUID(key) else { throw .badRequest("found the key \"\(key)\", expected a UUID") }
        return compared(found)
    }

    /// The identity under which a key is remembered: it has the customer or, of a request with a client's own token, the client. A movement
    /// has no client, and a key that all operations share may be one of a movement: these have neither.
    func keyID(_ key: String, _ operation: Operation, _ scope: Scope) -> IdempotencyBook.ID {
        let isShared = prepared.bank.dialect.idempotency?.scope == .customer
        let holder = isShared || operation.move != nil ? nil : scope.token.flatMap { client(of: $0) }
        return IdempotencyBook.ID(customer: scope.customer?.login ?? holder, operation: isShared ? nil : operation.name, key: key)
    }

    /// Claims the ticket's key, if it has one; a request without a key, or with a new one, may be executed.
    mutating func claim(_ ticket: Ticket, at now: Instant) throws(RequestRejection) -> Admission.Verdict {
        guard let id = ticket.keyID, let policy = prepared.bank.dialect.idempotency else { return .ready(ticket) }
        let byValue = policy.fingerprint != .bytes
        switch keys.claim(id, fingerprint(ticket, policy), byValue: byValue, window: policy.window, at: now) {
        case .new: return .ready(ticket)
        case .inFlight: throw RequestRejection(.keyInFlight)
        case .mismatch: throw RequestRejection(.keyMismatch)
        case .replay(let stored):
            var response = policy.replay == .current ? current(stored, ticket, at: now) : stored.response
            response.replayed = true
            if let marker = policy.marker { response.setHeader(marker.name, marker.value) }
            return .replay(response)
        }
    }

    /// Abandons an admitted request; its key is free again.
    package mutating func abandon(_ ticket: Ticket) { if let id = ticket.keyID { keys.drop(id) } }

    /// The keys that a repeat finds now, in the order of their first use. Expired ones stay in the book until another key is claimed, and
    /// come back with a state file.
    package func knownKeys(last: Int) -> [(id: IdempotencyBook.ID, record: IdempotencyBook.Record)] {
        keys.known(last: last, after: prepared.bank.dialect.idempotency?.window.map { present + (.zero - $0) })
    }

    /// Stores the result of an execution under the ticket's key, or frees the key.
    mutating func remember(_ response: BankResponse, _ row: (table: String, key: String)?, _ ticket: Ticket, at now: Instant) {
        guard let id = ticket.keyID, let policy = prepared.bank.dialect.idempotency else { return }
        guard policy.remembers(response) else { return keys.drop(id) }
        var response = response
        // Without the space into which it was written: it is kept as long as the session.
        response.body = response.body.withUnsafeBufferPointer { Array($0) }
        let stored = IdempotencyBook.Stored(response: response, row: response.committed ? row : nil)
        if let record = keys.record(stored, under: id, at: now) { make(.kept(id, record)) } else { keys.drop(id) }
    }

    func fingerprint(_ ticket: Ticket, _ policy: IdempotencyPolicy) -> IdempotencyBook.Fingerprint {
        let (request, json, form) = (ticket.scope.request, ticket.scope.json, ticket.scope.form)
        let path = path(of: ticket, policy)
        switch policy.fingerprint {
        // A body that the operation does not read has no fields to compare.
        case .fields(let paths) where json != nil || form != nil:
            let values = paths.map { path in json?.at(path) ?? form?[path].map(JSON.string) }
            return .init(method: request.method, path: path, query: nil, body: .fields(values))
        case .whole, .bytes, .fields:
            return .init(method: request.method, path: path, query: request.query, body: .whole(request.body))
        }
    }

    /// The request's path without insignificant parts: needless escapes (RFC 3986 §6.2.2.2), the case of a key's digits.
    private func path(of ticket: Ticket, _ policy: IdempotencyPolicy) -> String {
        let request = ticket.scope.request
        guard policy.isUUID || request.path.utf8.contains(UInt8(ascii: "%")), let segments = request.segments else { return request.path }
        return segments.reduce(into: "") { path, segment in
            let isKey = policy.isUUID && segment.lowercased() == ticket.keyID?.key
            path += "/" + (isKey ? segment.lowercased() : segment.replacing("%", with: "%25").replacing("/", with: "%2F"))
        }
    }

    /// The first response rendered again from its row's present state. A rejection, or a response whose row is gone, remains as it
    /// was.
    private mutating func current(_ stored: IdempotencyBook.Stored, _ ticket: Ticket, at now: Instant) -> BankResponse {
        guard let (table, key) = stored.row, let row = row(table, key: key) else { return stored.response }
        var scope = ticket.scope
        scope.now = now
        scope.inserted = (table, row)
        guard var response = try? response(ticket.match.operation, &scope) else { return stored.response }
        (response.status, response.committed) = (stored.response.status, stored.response.committed)
        return response
    }

    private func hex(_ scalar: Unicode.Scalar) -> String {
        let digits = String(scalar.value, radix: 16, uppercase: true)
        return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }
}
