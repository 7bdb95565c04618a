import BankCore
import BankEngine
import BankModel
import NIOHTTP1

/// The calls that issue and end tokens, and decide sign-ins and challenges. A token's text is shown only in the response that issues it;
/// all others show its id.
extension AdminCall {
    static let listTokens = AdminCall(
        .GET, "/sessions/{session}/tokens", "listTokens", "lists its tokens by name, without their texts", .ok(SessionShapes.tokens),
        answer: .ofSession { _, session, _ in
            let now = session.now
            return .json(["tokens": .array(session.tokens.map { $0.json(at: now) })])
        })

    static let issueToken = AdminCall(
        .POST, "/sessions/{session}/tokens", "issueToken", "issues a token: login, scopes, lifetime", body: AdminKeys.tokenSchema,
        .created(SessionShapes.issued), rejects: [.unprocessableContent],
        answer: .ofSession { api, session, request in
            let wanted = try api.fields(request, of: AdminKeys.tokenSchema) { fields, _ in
                (login: fields[AdminKeys.login], scopes: fields[AdminKeys.scopes], lifetime: fields[AdminKeys.lifetime])
            }
            let issued = try session.issueTokens(login: wanted.login, scopes: wanted.scopes, lifetime: wanted.lifetime)
            let tokens: JSON = .object(known: [
                "id": .string(issued.access.id), "token": .string(issued.access.text),
                "refresh_token": issued.refresh.map { .string($0.text) },
                "expires_at": .string(issued.access.expiresAt.rfc3339(.milliseconds)),
            ])
            return .json(tokens, status: .created)
        })

    static let expireTokens = AdminCall(
        .POST, "/sessions/{session}/tokens/expire", "expireTokens", "expires a token: token; without it all tokens",
        body: AdminKeys.tokenChangeSchema, .done, rejects: [.unprocessableContent],
        answer: .ofSession { api, session, request in
            try session.expireTokens(id: try api.tokenID(request))
            return .done
        })

    static let revokeTokens = AdminCall(
        .POST, "/sessions/{session}/tokens/revoke", "revokeTokens", "revokes a token: token; without it all tokens",
        body: AdminKeys.tokenChangeSchema, .done, rejects: [.unprocessableContent],
        answer: .ofSession { api, session, request in
            try session.revokeTokens(id: try api.tokenID(request))
            return .done
        })

    static let downscopeTokens = AdminCall(
        .POST, "/sessions/{session}/tokens/downscope", "downscopeTokens",
        "reduces a token to the given scopes: token, scopes; without token all tokens", body: AdminKeys.downscopeSchema, .done,
        rejects: [.unprocessableContent],
        answer: .ofSession { api, session, request in
            let wanted = try api.fields(request, of: AdminKeys.downscopeSchema) { fields, _ in
                (id: fields[AdminKeys.token], scopes: fields[AdminKeys.left] ?? [])
            }
            try session.downscopeTokens(id: wanted.id, to: wanted.scopes)
            return .done
        })

    static let listAuthorizations = AdminCall(
        .GET, "/sessions/{session}/authorizations", "listAuthorizations",
        "lists the attempts to sign in on the bank's page, by number, without their secrets", .ok(SessionShapes.authorizations),
        answer: .ofSession { _, session, _ in
            .json(["authorizations": .array(session.authorizations.map { .object($0.object) })])
        })

    static let decideAuthorization = AdminCall(
        .POST, "/sessions/{session}/authorizations/{authorization}", "decideAuthorization",
        "decides an attempt to sign in as its customer: decision (approve, deny, cancel or abandon), login, accounts; returns the address that the app gets",
        body: AdminKeys.decisionSchema, .ok(SessionShapes.decided), rejects: [.conflict, .unprocessableContent],
        answer: .ofSession { api, session, request in
            let text = request.segment("authorization")
            guard let number = Int(text) else {
                throw AdminProblem.notFound("found the authorization \(text), expected its number, such as 1")
            }
            let wanted = try api.fields(request, of: AdminKeys.decisionSchema) { fields, _ in
                fields[AdminKeys.decision].map {
                    (decision: $0, login: fields[AdminKeys.login], accounts: fields[AdminKeys.sharedAccounts])
                }
            }
            let (decided, address) = try session.decide(number, wanted.decision, login: wanted.login, accounts: wanted.accounts)
            var object = decided.object
            object["redirect"] = address.map(JSON.string)
            return .json(.object(object))
        })

    static let listConsents = AdminCall(
        .GET, "/sessions/{session}/consents", "listConsents",
        "lists the consents of its customers, with their states and the accounts that they cover", .ok(SessionShapes.consents),
        answer: .ofSession { _, session, _ in .json(["consents": .array(session.consents.map(\.json))]) })

    static let listChallenges = AdminCall(
        .GET, "/sessions/{session}/challenges", "listChallenges", "lists the challenges, by number, with the correct code",
        .ok(SessionShapes.challenges),
        answer: .ofSession { _, session, _ in
            let code = session.challengeCode
            return .json(["challenges": .array(session.challenges.map { .object($0.object(code: code)) })])
        })

    static let decideChallenge = AdminCall(
        .POST, "/sessions/{session}/challenges/{challenge}", "decideChallenge",
        "decides a challenge as its customer in the bank's own app: decision (approve or deny); an approved payment is executed",
        body: AdminKeys.verdictSchema, .ok(SessionShapes.challenge), rejects: [.conflict, .unprocessableContent],
        answer: .ofSession { api, session, request in
            let text = request.segment("challenge")
            guard let number = Int(text) else {
                throw AdminProblem.notFound("found the challenge \(text), expected its number, such as 1")
            }
            let decision = try api.fields(request, of: AdminKeys.verdictSchema) { fields, _ in fields[AdminKeys.verdict] }
            let decided = try session.decide(challenge: number, approves: decision == .approve)
            return .json(.object(decided.object(code: session.challengeCode)))
        })
}

extension AdminAPI {
    /// The id of the token in the body; nil for all tokens.
    fileprivate func tokenID(_ request: AdminRequest) throws -> String? {
        try fields(request, of: AdminKeys.tokenChangeSchema) { fields, _ in Optional.some(fields[AdminKeys.token]) }
    }
}

extension Authorization {
    /// The attempt without its secrets.
    fileprivate var object: JSONObject {
        JSONObject(known: [
            "number": .int(number), "client": .string(request.client), "redirect_uri": .string(request.redirect),
            "scopes": .array(request.scopes.map(JSON.string)), "state": .string(stage.rawValue), "login": customer.map(JSON.string),
            "expires_at": .string(expiresAt.rfc3339(.milliseconds)),
        ])
    }
}

extension Consent {
    /// The consent as it is listed, and as the response to an event has it.
    var json: JSON {
        .object(known: [
            "id": .string(id.key), "state": .string(state.rawValue), "table": .string(id.table),
            "accounts": .array(accounts.map(JSON.string)), "permissions": .array(permissions.map(JSON.string)),
            "login": customer.map(JSON.string), "expires_at": expiresAt.map { .string($0.rfc3339(.milliseconds)) },
        ])
    }
}

extension TokenBook.Token {
    /// The token without its text.
    fileprivate func json(at now: Instant) -> JSON {
        [
            "id": .string(id), "kind": .string(kind == .access ? "access" : kind.rawValue), "login": .string(customer),
            "scopes": .array(scopes.map(JSON.string)), "expires_at": .string(expiresAt.rfc3339(.milliseconds)),
            "state": .string(isRevoked ? "revoked" : isUsed ? "used" : now < expiresAt ? "live" : "expired"),
        ]
    }
}

extension Challenge {
    /// - Parameter code: the right one of an `otp` challenge.
    fileprivate func object(code: String) -> JSONObject {
        JSONObject(known: [
            "number": .int(number), "id": .string(id), "kind": .string(kind.rawValue), "login": .string(customer),
            "operation": .string(operation), "state": .string(stage.rawValue), "code": kind == .otp ? .string(code) : nil,
            "wrong_codes": .int(wrongCodes), "expires_at": .string(expiresAt.rfc3339(.milliseconds)),
        ])
    }
}
