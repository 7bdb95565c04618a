import BankModel
import DriverProtocol

/// Sign-ins on the bank's page, as the journal shows them.
extension Scene {
    struct Authorization {
        let page: JournalEntry
        /// Those of the address, or of the request that the client had pushed before (RFC 9126).
        let parameters: FormFields
    }

    /// The requests for the sign-in page whose addresses the client made, in the order of time.
    var authorizations: [Authorization] {
        pages.map { page in
            let own = FormFields(page.query ?? "")
            let pushed = own["request_uri"] == nil ? nil : pushedRequest(before: page)
            return Authorization(page: page, parameters: pushed ?? own)
        }
    }

    /// The first sign-in that failed, if none has succeeded since: the client may be unable to send a request that needs a token.
    var failedSignIn: (step: NumberedStep, outcome: StepOutcome)? {
        var failed: (step: NumberedStep, outcome: StepOutcome)?
        for step in steps where [.login, .authorizeBegin, .authorizeFinish].contains(step.action.asked) {
            switch outcome(of: step.n) {
            case .ok?, .skipped?: failed = nil
            case .error?, .silent?, .hung?, .crashed?: failed = failed ?? outcome(of: step.n).map { (step: step, outcome: $0) }
            default: continue
            }
        }
        return failed
    }

    /// The last request that the client pushed before the page was opened.
    private func pushedRequest(before page: JournalEntry) -> FormFields? {
        requests.last { request in
            request.monoNanoseconds < page.monoNanoseconds && request.method == "POST" && request.status == 201
                && request.form["response_type"] != nil
        }?.form
    }

    /// Whether a page led to a sign-in that lasted until the client opened a later page: the customer approved, the client finished the sign-in, and
    /// the bank rejected no token in between.
    func hasSignedIn(by page: JournalEntry, before later: JournalEntry) -> Bool {
        guard let visit = evidence.visits.first(where: { $0.exchanges.contains(page.seq) }),
            case .browser(let browser)? = instance?.step(visit.step)?.action, browser.decision == .approve,
            let finish = steps.first(where: { $0.n > visit.step && $0.action.asked == .authorizeFinish }),
            isOK(finish.n), let ended = evidence.steps[finish.n]?.ended, ended < later.monoNanoseconds
        else { return false }
        return !rejections.contains { page.monoNanoseconds <= $0.monoNanoseconds && $0.monoNanoseconds < later.monoNanoseconds }
    }

    /// Whether the last `authorize_begin` before a step `browser` reported `nothing_to_do` after a sign-in: an app need not show a sign-in page
    /// while somebody is signed in.
    func hasNothingToOpen(before browser: NumberedStep) -> Bool {
        guard let begin = steps.last(where: { $0.n < browser.n && $0.action.asked == .authorizeBegin }),
            case .error(let name, _)? = outcome(of: begin.n), name == ClientError.nothingToDo.rawValue
        else { return false }
        return steps.contains { $0.n < begin.n && [.login, .authorizeFinish].contains($0.action.asked) && isOK($0.n) }
    }

    /// Whether the address that a step `browser` opened is that of a challenge's page, without the client's id.
    func opensChallengeWithoutClient(in browser: NumberedStep) -> Bool {
        guard let visit = evidence.visits.first(where: { $0.step == browser.n }),
            let page = pages.first(where: { visit.exchanges.contains($0.seq) })
        else { return false }
        let parameters = FormFields(page.query ?? "")
        return parameters["challenge"] != nil && parameters["client_id"] == nil
    }

    /// The visit of a page in which a payment was made; nil for a payment that a request of the client made.
    func visit(of movement: Movement) -> Evidence.PageVisit? { evidence.visits.first { $0.movements.contains(movement.id) } }

    /// The client's request for the payment that the customer has authorised in a visit: its response has the id that the page's address
    /// names. nil if there is none.
    func initiation(of visit: Evidence.PageVisit) -> JournalEntry? {
        guard let page = pages.first(where: { visit.exchanges.contains($0.seq) }) else { return nil }
        let named = FormFields(page.query ?? "").all.map(\.value).filter { !$0.isEmpty }
        return exchanges.last { exchange in
            guard exchange.has(.pay), exchange.committed, exchange.monoNanoseconds < page.monoNanoseconds else { return false }
            let response = exchange.responseText
            return named.contains { response.contains("\"\($0)\"") }
        }
    }

    /// The client id by which the client signs in, if the bank knows it as one with a secret.
    var confidentialClient: String? {
        let known = instance?.bank.publicClients ?? []
        return pages.lazy.compactMap { FormFields($0.query ?? "")["client_id"] }.first { !known.contains($0) }
    }

    /// Whether the client signs in on the bank's page, and never with the bank's call for a name and a password: its app has no form for
    /// them, and its driver is the browser.
    var signsInOnPage: Bool { !requests.contains { $0.has(.login) } && requests.contains(where: \.isOfSignInPage) }

    /// The first earlier request that had the same authorization code as this one; nil if none had. A request does not count if the bank rejected
    /// its client or its proof, and so did not look at the code: a library may try both ways to name the client (RFC 6749 §2.3.1 and §5.2).
    func earlierRequest(withCodeOf exchange: JournalEntry) -> JournalEntry? {
        let codes = exchange.codesSent
        guard !codes.isEmpty else { return nil }
        return requests.first {
            $0.seq != exchange.seq && $0.monoNanoseconds < exchange.monoNanoseconds && !$0.rejectsProof && !$0.rejectsClient
                && !codes.isDisjoint(with: $0.codesSent)
        }
    }
}

extension JournalEntry {
    /// The fields of the request's body, if it is a form.
    var form: FormFields { FormFields(requestText) }

    /// Whether it asks for a token (RFC 6749 §3.2), whatever its role: an authorization code is exchanged without one.
    var asksForToken: Bool { has(.login) || has(.refresh) || form["grant_type"] != nil }

    /// Whether it opens the sign-in page, pushes the request for it, or exchanges a code (RFC 6749 §4.1, RFC 9126).
    fileprivate var isOfSignInPage: Bool {
        let address = FormFields(query ?? "")
        return address["response_type"] == "code" || address["request_uri"] != nil || form["response_type"] == "code"
            || form["grant_type"] == "authorization_code"
    }

    /// The ids of the authorization codes in the request.
    fileprivate var codesSent: Set<String> {
        Set(JournalEntry.ids("code#", in: [query ?? "", requestText]))
    }

    /// Whether the request has a client's secret: in its form, in its address, or as HTTP Basic (RFC 6749 §2.3.1). Of a header the journal
    /// has no more than the mark in place of its value: where the bank has rejected it, the secret in it may be empty.
    var carriesClientSecret: Bool {
        let names = ["client_secret", "client_assertion"]
        if (form.all + FormFields(query ?? "").all).contains(where: { names.contains($0.name) && !$0.value.isEmpty }) { return true }
        return !rejectsClient && requestHeaders.value(of: "authorization") == SecretFields.mark
    }

    /// Whether the bank rejected the client before it looked at the code.
    fileprivate var rejectsClient: Bool { isDelivered && [400, 401].contains(status) && oauthError == "invalid_client" }
}
