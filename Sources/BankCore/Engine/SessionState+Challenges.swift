package import BankModel

/// The reason why a challenge cannot be decided.
package enum ChallengeError: Error, Sendable, Hashable, CustomStringConvertible {
    case unknown(Int, known: Int)
    case ended(Int, Challenge.Stage)
    case sessionFull(SessionSize)

    package var description: String {
        switch self {
        case .unknown(let number, let known):
            known == 0
                ? "found the challenge \(number), expected none: no request has been challenged"
                : "found the challenge \(number), expected a number from 1 to \(known)"
        case .ended(let number, let stage): "challenge \(number) is \(stage.rawValue), expected one that is pending"
        case .sessionFull(let limit): limit.rejection
        }
    }
}

/// Challenges: requests that the customer must confirm by a second factor.
extension SessionState {
    /// The challenges of this session; nil if it challenges nothing.
    package var challengePolicy: ChallengePolicy? {
        guard var policy = bank.challenges else { return nil }
        guard let setting = metadata.challenges else { return policy.isOn ? policy : nil }
        guard let kind = setting.kind else { return nil }
        policy.kind = kind
        return policy
    }

    // MARK: the request

    /// Rejects a read of old rows with a challenge; once that is approved, the token may read them for a while.
    func requireConfirmation(ofRead rule: Operation.Freshness, _ ticket: Ticket, _ scope: Scope) throws(RequestRejection) {
        guard let policy = challengePolicy, isTooOld(rule, scope) else { return }
        let open = challenges.all.last { $0.family == ticket.scope.token?.family && $0.operation == ticket.match.name && $0.held == nil }
        if let open, open.at(scope.now).stage == .pending { throw RequestRejection(name: .stepUp, situation: .challenged, challenge: open) }
        throw RequestRejection(name: .stepUp, situation: .challenged, challenge: challenge(policy, ticket, held: nil, at: scope.now))
    }

    /// Rejects a request, which is valid, with a challenge; once that is approved, it is executed.
    ///
    /// A repetition under its key gets the challenge again while that is pending, and another one once it has ended without approval.
    mutating func requireConfirmation(_ ticket: Ticket, _ scope: Scope) throws(RequestRejection) {
        guard let policy = challengePolicy else { return }
        switch ticket.match.operation.stepUp {
        case .always: break
        case .over(let units): guard let amount = scope.movement?.amount, amount.minorUnits > units else { return }
        case .reads, nil: return
        }
        if let id = ticket.keyID, let open = challenges.challenge(key: id)?.at(scope.now), let held = open.held {
            guard isSame(held, ticket) else { throw RequestRejection(.keyMismatch) }
            if open.stage == .pending { throw RequestRejection(name: .stepUp, situation: .challenged, challenge: open) }
            return taken(open)
        }
        let request = ticket.scope.request
        let held = HeldRequest(
            method: request.method, path: request.path, query: request.query, contentType: request.header("Content-Type"),
            body: request.body, key: ticket.keyID)
        throw RequestRejection(name: .stepUp, situation: .challenged, challenge: challenge(policy, ticket, held: held, at: scope.now))
    }

    private func challenge(_ policy: ChallengePolicy, _ ticket: Ticket, held: HeldRequest?, at now: Instant) -> Challenge {
        Challenge(
            number: challenges.newNumber, kind: policy.kind, customer: ticket.scope.customer?.login ?? "", operation: ticket.match.name,
            beganAt: now, expiresAt: now + policy.lifetime,
            approvesAt: policy.kind == .decoupled ? policy.approvesAfter.map { now + $0 } : nil, family: ticket.scope.token?.family,
            held: held)
    }

    /// Lets a customer approve or deny the consent that an operation has just added in another app, until the challenge expires.
    ///
    /// - Parameters:
    ///   - source: the customer's login.
    ///   - operation: its name.
    mutating func askElsewhere(_ source: ValueSource, _ operation: String, _ scope: inout Scope) throws(RequestRejection) {
        guard let consent = scope.inserted.map({ RowID(table: $0.table, key: $0.row.key) }) else { return }
        guard let asked = text(source, scope).flatMap({ customer($0) }) else {
            throw .badRequest("the customer is unknown", .wrongLogin)
        }
        if asked.locked { throw .badRequest("the account is locked", .locked) }
        let policy = bank.challenges ?? ChallengePolicy()
        let challenge = Challenge(
            number: challenges.newNumber, kind: .decoupled, customer: asked.login, operation: operation, beganAt: scope.now,
            expiresAt: scope.now + policy.lifetime, approvesAt: policy.approvesAfter.map { scope.now + $0 }, family: nil, held: nil,
            consent: consent)
        make(.challenge(challenge, before: nil))
        reject(consent, unlessDecidedBy: challenge.expiresAt)
        scope.challenge = challenge
    }

    /// Whether a repetition under the key of a held request is the same request.
    private mutating func isSame(_ held: HeldRequest, _ ticket: Ticket) -> Bool {
        guard let policy = prepared.bank.dialect.idempotency,
            let other = self.ticket(of: held, ticket.scope.customer, ticket.scope.token, at: present)
        else { return true }
        return fingerprint(other, policy).matches(fingerprint(ticket, policy), byValue: policy.fingerprint != .bytes)
    }

    // MARK: the answer

    /// Shows a challenge, or those of a consent, or takes a code.
    mutating func perform(_ call: Operation.ChallengeCall, _ scope: inout Scope) throws(RequestRejection) {
        if let named = call.consent {
            guard let key = text(named.key, scope), let all = authorisations(of: RowID(table: named.table, key: key), at: scope.now)
            else { throw RequestRejection(.notFound, "there is no such consent") }
            scope.challenges = all
        }
        guard let name = call.id else { return }
        let id = text(name, scope)
        let found: Challenge?
        if call.consent != nil {
            found = scope.challenges.first { $0.id == id }
        } else {
            let own = id.flatMap(Challenge.number).flatMap { challenges[$0]?.at(scope.now) }
            found = own?.customer == scope.customer?.login ? own : nil
        }
        guard var challenge = found else { throw RequestRejection(.notFound, "no challenge with the id \(id?.echoed ?? "nothing")") }
        scope.challenge = challenge
        guard let source = call.code else { return }
        switch challenge.stage {
        case .approved: return
        case .denied, .locked, .expired: throw ended(challenge)
        case .pending: break
        }
        guard challenge.kind == .otp, let policy = bank.challenges else {
            throw RequestRejection(
                name: .badRequest, detail: "the challenge takes no code: the customer approves it at the bank", challenge: challenge)
        }
        if text(source, scope) == policy.code { return scope.challenge = approved(challenge) }
        challenge.wrongCodes += 1
        guard challenge.wrongCodes < policy.attempts else {
            challenge.end(.locked)
            throw ended(challenge)
        }
        throw RequestRejection(name: .badRequest, situation: .wrongCode, detail: "the code is wrong", challenge: challenge)
    }

    /// What a customer decides about a consent: in another app, or else on the page, which is number 0 and stored nowhere.
    ///
    /// - Returns: nil if there is no such consent.
    private func authorisations(of id: RowID, at now: Instant) -> [Challenge]? {
        guard let found = consent(id) else { return nil }
        let elsewhere = challenges.all.filter { $0.consent == id }.map { $0.at(now) }
        guard elsewhere.isEmpty else { return elsewhere }
        // An authorised consent may have ended since.
        let customer = found.row.fields[Hidden.customer]?.string
        let stage: Challenge.Stage = customer != nil ? .approved : found.state == .awaiting ? .pending : .denied
        return [
            Challenge(
                number: 0, kind: .redirect, customer: customer ?? "", operation: "", beganAt: now, expiresAt: now, approvesAt: nil,
                family: nil, stage: stage, consent: id)
        ]
    }

    private func ended(_ challenge: Challenge) -> RequestRejection {
        RequestRejection(
            name: .badRequest, situation: .challengeEnded, detail: "the challenge is \(challenge.stage.rawValue)", challenge: challenge)
    }

    /// A property of the challenge that the response is about.
    func challengeValue(_ field: ValueSource.ChallengeField, _ scope: Scope) -> JSON? {
        if field == .ids { return .array(scope.challenges.map { .string($0.id) }) }
        guard let challenge = scope.challenge else { return nil }
        let policy = bank.challenges ?? ChallengePolicy()
        switch field {
        case .ids: return nil
        case .id: return .string(challenge.id)
        case .kind: return .string(challenge.kind.rawValue)
        case .state: return policy.words[challenge.stage] ?? .string(challenge.stage.rawValue)
        case .expiresAt: return .string(challenge.expiresAt.rfc3339(.milliseconds))
        case .interval:
            guard challenge.kind != .otp else { return nil }
            return policy.interval.seconds
        case .url:
            guard challenge.kind == .redirect, let page = bank.signInPage else { return nil }
            return .string("\(baseURL)\(page)?\(SignInPage.challengeParameter)=\(challenge.id)")
        case .attemptsLeft: return challenge.kind == .otp ? .int(Int64(max(0, policy.attempts - challenge.wrongCodes))) : nil
        }
    }

    // MARK: the end

    /// Approves or denies a pending challenge, as its customer would in the bank's own app.
    ///
    /// - Parameter limit: that of the session.
    /// - Returns: the challenge as it is then.
    package mutating func decide(
        challenge number: Int, approves: Bool, _ limit: SessionSize, at now: Instant
    ) throws(ChallengeError) -> Challenge {
        guard let challenge = challenges[number] else { throw .unknown(number, known: challenges.all.count) }
        let present = challenge.at(now)
        guard present.stage == .pending else { throw .ended(number, present.stage) }
        if approves, isFull(limit) { throw .sessionFull(limit) }
        end(challenge, approves: approves)
        if let consent = challenge.consent { decide(consent, of: challenge.customer, approves: approves, at: now) }
        if approves { executeConfirmed(at: now) }
        return challenges[number] ?? challenge
    }

    /// Ends a consent about which a customer has decided in another app.
    private mutating func decide(_ consent: RowID, of login: String, approves: Bool, at now: Instant) {
        announcing(at: now) { state in
            if approves, let customer = state.customer(login) {
                _ = state.authorise(consent, customer, at: now)
            } else {
                state.reject(consent, at: now)
            }
        }
    }

    /// Ends a pending challenge; what an approved one holds is yet to be executed.
    mutating func end(_ challenge: Challenge, approves: Bool) {
        if approves {
            _ = approved(challenge)
        } else {
            var denied = challenge
            denied.end(.denied)
            make(.challenge(denied, before: challenge))
        }
    }

    /// Approves the first challenge that is due to approve itself, at its instant.
    ///
    /// - Parameter limit: that of the session; in a full one the challenge is denied.
    /// - Returns: the challenge; nil if none is due by then.
    package mutating func approveFirst(by now: Instant, _ limit: SessionSize) -> (challenge: Challenge, at: Instant)? {
        guard let first = challenges.nextToApprove, let instant = first.approvesAt, instant <= now else { return nil }
        settle(at: instant)
        _ = try? decide(challenge: first.number, approves: !isFull(limit), limit, at: instant)
        return (first, instant)
    }

    private mutating func approved(_ challenge: Challenge) -> Challenge {
        var approved = challenge
        approved.end(.approved)
        make(.challenge(approved, before: challenges[challenge.number]))
        if challenge.held == nil, let family = challenge.family {
            let instant = present
            alter(tokens.tokens(ofFamily: family)) { $0.signedInAt = instant }
        }
        return approved
    }

    /// Executes the requests of the approved challenges, and stores their results under their keys.
    mutating func executeConfirmed(at now: Instant) {
        for challenge in challenges.toExecute { execute(challenge, at: now) }
    }

    /// Executes the request of an approved challenge; if a repetition under its key waits for a fault, that executes it instead.
    private mutating func execute(_ challenge: Challenge, at now: Instant) {
        guard let held = challenge.held else { return }
        let token = challenge.family.flatMap { tokens.tokens(ofFamily: $0).last { $0.kind == .access } }
        guard let ticket = ticket(of: held, customer(challenge.customer), token, at: now) else { return taken(challenge) }
        switch try? claim(ticket, at: now) {
        case .ready:
            taken(challenge)
            _ = perform(ticket, at: now, nil, isConfirmed: true)
        case .replay: taken(challenge)
        case .rejected, nil: break
        }
    }

    /// Notes that the request of an approved challenge is executed now.
    private mutating func taken(_ challenge: Challenge) {
        var taken = challenge
        taken.held = nil
        make(.challenge(taken, before: challenge))
    }

    /// The right to execute a held request, as a token's consent limits it; nil if the bank has no such operation any more.
    private func ticket(of held: HeldRequest, _ customer: Customer?, _ token: TokenBook.Token?, at now: Instant) -> Ticket? {
        let request = held.request
        guard let match = prepared.router.match(request, states: states) else { return nil }
        let found = token.flatMap(consent).flatMap(consent)
        let limited = found.map { self.limited(customer, by: $0) } ?? customer
        var scope = Scope(request: request, parameters: match.parameters, customer: limited, token: token, now: now)
        switch match.operation.body?.form {
        case .json: scope.json = try? request.json()
        case .form: scope.form = request.form
        case nil: break
        }
        return Ticket(match, scope, keyID: held.key)
    }
}

extension Duration {
    /// In seconds, with milliseconds if it has some.
    fileprivate var seconds: JSON {
        let (seconds, milliseconds) = (components.seconds, components.attoseconds / 1_000_000_000_000_000)
        guard milliseconds > 0 else { return .int(seconds) }
        return JSONNumber("\(seconds)." + String(String(1000 + milliseconds).dropFirst())).map(JSON.number) ?? .int(seconds)
    }
}
