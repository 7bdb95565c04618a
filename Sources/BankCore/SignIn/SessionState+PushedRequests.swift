import BankModel

extension SessionState {
    /// Stores a client's request, and returns its address (RFC 9126 §2).
    mutating func push(_ policy: SignInPolicy, _ scope: inout Scope) throws(RequestRejection) -> BankResponse {
        let form = scope.request.form
        let client: OAuthClient
        do throws(RequestRejection) {
            client = try authenticatedClient(scope.request, at: scope.now)
        } catch {
            let isMalformed = error.situation == .malformed
            return json(isMalformed ? 400 : 401, error: isMalformed ? "invalid_request" : "invalid_client", error.detail ?? "", scope)
        }
        var proofKey: String?
        do throws(RequestRejection) {
            proofKey = try policy.dpop.flatMap { dpop throws(RequestRejection) in try self.proofKey(scope.request, dpop, at: scope.now) }
        } catch {
            return response(error.sender ?? .invalidProof, error, &scope)
        }
        guard form[policy.name(.pushed)] == nil else {
            return json(400, error: "invalid_request", "A pushed request has no \(policy.name(.pushed)).", scope)
        }
        // A client that authenticates in a header need not name itself in the form.
        var fields = form
        if fields[policy.name(.client)] == nil { fields.all.append(FormFields.Field(policy.name(.client), client.id)) }
        let reader = AuthorizationReader(fields: fields, policy: policy, usual: bank.auth?.scopes ?? [])
        do throws(AuthorizationFailure) {
            var request = try requested(reader, at: scope.now)
            if let proofKey, proofKey != request.proofKey ?? proofKey {
                let words = "\(policy.name(.proofKey)) is not the proof's key."
                return json(400, error: RequestRejection.Sender.invalidProof.error, words, scope)
            }
            request.proofKey = request.proofKey ?? proofKey
            let text = newSecret()
            let pushed = Authorization(
                number: authorizations.newNumber, request: request, stage: .pushed, handle: tokens.digest(text),
                expiresAt: scope.now + policy.lifetimes.pushed)
            make(.authorization(pushed, before: nil))
            let seconds = policy.lifetimes.pushed.components.seconds
            return json(201, ["request_uri": .string(pushedPrefix + text), "expires_in": .int(seconds)], scope)
        } catch {
            return json(400, error: error.code.rawValue, error.words, scope)
        }
    }

    /// An error of RFC 6749 §5.2.
    mutating func json(_ status: Int, error: String, _ words: String, _ scope: Scope) -> BankResponse {
        var response = json(status, ["error": .string(error), "error_description": .string(words)], scope)
        if status == 401 { response.setHeader("WWW-Authenticate", "Basic realm=\"token\"") }
        return response
    }

    private mutating func json(_ status: Int, _ body: JSON, _ scope: Scope) -> BankResponse {
        var response = BankResponse(status: status, headers: headers(bank.dialect.headers, scope), body: body.bytes)
        response.setHeaders([
            JournalEntry.Header("Content-Type", "application/json"), JournalEntry.Header("Cache-Control", "no-store"),
            JournalEntry.Header("Pragma", "no-cache"),
        ])
        return response
    }

    /// The beginning of a pushed request's address (RFC 9126 §2.2).
    var pushedPrefix: String { "urn:ietf:params:oauth:request_uri:" }
}
