package import BankModel

/// One API call of a bank: the request it answers, its effect, and the shape of its response.
package struct Operation: Sendable {
    package var name: String
    package var roles: [Role] = []
    package var method: String
    /// The path, with the bank's base.
    package var path: PathTemplate
    /// The conditions that distinguish it from others with the same method and path; all must be met.
    package var when: [Condition] = []
    package var access = Access.open
    /// The limit for its requests.
    package var limit = Limit.ofDialect
    /// Nil if an old sign-in may see everything.
    package var fresh: Freshness?
    /// The requests that a customer must confirm in a session with challenges; nil if none need that.
    package var stepUp: StepUp?
    /// The part of a challenge that it performs; nil if it is not part of one.
    package var challenge: ChallengeCall?
    /// Rows that must exist and be visible to the customer; otherwise the response is `not-found`.
    package var parents: [Parent] = []
    package var body: BodyRule?
    /// The source of the idempotency key; nil if the operation has none.
    package var key: ValueSource?
    package var grant: Grant?
    /// The part of the sign-in that it performs; nil if it is not part of it.
    package var signIn: SignIn?
    /// The permissions of which the token's consent must have one; empty if it needs none.
    package var permissions: [String] = []
    /// The consent that it uses; nil if it uses none.
    package var uses: ConsentUse?
    /// The consent that it revokes; nil if it revokes none.
    package var revoke: Parent?
    package var move: Move?
    /// The quote that a payment may name; nil if it takes none.
    package var quote: Quote?
    package var insert: Insert?
    /// The login of the customer who approves or denies the consent that it adds in another app; nil if they do so on the page.
    package var decoupled: ValueSource?
    /// The webhook that it registers; nil if it registers none.
    package var registers: Registration?
    /// The row that it changes; nil if it changes none.
    package var update: Update?
    /// The row that it removes; nil if it removes none.
    package var delete: Parent?
    /// The payments that it makes later; nil if it makes none.
    package var repeats: Repeats?
    /// The row of a pending payment that is cancelled.
    package var cancel: Parent?
    /// The header `If-Match` that it evaluates; nil if it ignores the header.
    package var ifMatch: IfMatch?
    /// The states of the session that it sets; nil clears one.
    package var then: [(variable: String, state: String?)] = []
    /// The events that its response consists of; nil for a response that ends.
    package var stream: StreamPolicy?
    package var status = 200
    /// Headers that override the dialect's of the same name.
    package var headers: [HeaderTemplate] = []
    package var response = ResponseBody.none
    /// Whether an `ETag` is sent, and `If-None-Match` answered with 304 (RFC 9110 §13.1.2).
    package var etag = false
    /// A response with a success status whose body reports a failure; the fault `business-failure` sends it.
    package var businessFailure: Template?
    /// Its own responses, which replace the dialect's.
    package var rejections: [RejectionReason: ResponseTemplate] = [:]

    package init(name: String, method: String, path: PathTemplate) {
        self.name = name
        self.method = method
        self.path = path
    }

    /// The credentials that a caller needs.
    package enum Access: Sendable, Hashable {
        case open
        /// A valid token; with the scope, if one is named.
        case token(scope: String?)
    }

    /// A row that must be visible, such as the path's account.
    package struct Parent: Sendable {
        package var table: String
        package var key: ValueSource

        package init(table: String, key: ValueSource) {
            self.table = table
            self.key = key
        }
    }

    /// Restricts old rows to the time after a sign-in; later they are rejected with `step-up`, and the token remains valid.
    package struct Freshness: Sendable {
        /// The time after the sign-in.
        package var within: Duration
        /// The query's field with the first instant or day of the rows requested.
        package var query: String
        /// The age from which rows are old.
        package var older: Duration

        package init(within: Duration, query: String, older: Duration) {
            self.within = within
            self.query = query
            self.older = older
        }
    }

    /// The requirements for the body.
    package struct BodyRule: Sendable {
        package enum Form: String, Sendable, CaseIterable { case json, form }

        package var form: Form
        /// Dotted paths that must be present.
        package var required: [String]
        /// The kinds of the values at dotted paths of a JSON body, if they are present; checked in this order.
        package var kinds: [(path: String, kind: Kind)]

        package init(form: Form, required: [String], kinds: [(path: String, kind: Kind)] = []) {
            self.form = form
            self.required = required
            self.kinds = kinds
        }

        /// The kind of the value at a dotted path; nil if any is allowed.
        package func kind(of path: String) -> Kind? { kinds.first { $0.path == path }?.kind }

        /// A kind of JSON; null has none.
        package enum Kind: String, Sendable, CaseIterable {
            case text, number
            /// A number without a fraction.
            case whole
            /// true or false
            case flag
            case list, object
            /// A list whose elements all are texts, or all are objects.
            case texts, objects
            /// A text with an instant of RFC 3339, or a day.
            case instant

            package func fits(_ value: JSON) -> Bool {
                switch (self, value) {
                case (.text, .string), (.number, .number), (.flag, .bool), (.list, .array), (.object, .object): true
                case (.whole, .number(let number)): number.int64 != nil
                case (.instant, .string(let text)): Instant(rfc3339: text) != nil || CivilDate(text) != nil
                case (.texts, .array(let elements)): elements.allSatisfy { Kind.text.fits($0) }
                case (.objects, .array(let elements)): elements.allSatisfy { Kind.object.fits($0) }
                default: false
                }
            }

            var words: String {
                switch self {
                case .text: "a text"
                case .number: "a number"
                case .whole: "a whole number"
                case .flag: "true or false"
                case .list: "a list"
                case .object: "an object"
                case .texts: "a list of texts"
                case .objects: "a list of objects"
                case .instant: "an instant such as 2026-01-12T09:15:00Z, or a day"
                }
            }
        }
    }

    /// Issues or ends tokens.
    package enum Grant: Sendable {
        case password(user: ValueSource, password: ValueSource, scope: ValueSource?)
        case refresh(token: ValueSource, scope: ValueSource?)
        case revoke(token: ValueSource)
        /// Exchanges an authorization code.
        case code(code: ValueSource, redirect: ValueSource, verifier: ValueSource)
        /// Issues a token for the client itself.
        case client(scope: ValueSource?)
    }

    /// Situations for which an operation may have its own response: ``about`` says when each is sent.
    package enum RejectionReason: String, Sendable, CaseIterable, Hashable {
        case wrongLogin = "wrong-login"
        case locked
        case malformed
        case invalidGrant = "invalid-grant"
        case invalidScope = "invalid-scope"
        case invalidClient = "invalid-client"
        case unauthorizedClient = "unauthorized-client"
        case preconditionFailed = "precondition-failed"
        case preconditionRequired = "precondition-required"
        case notPending = "not-pending"
        case quoteEnded = "quote-ended"
        case accountClosed = "account-closed"
        case wrongConsent = "wrong-consent"
        case challenged
        case wrongCode = "wrong-code"
        case challengeEnded = "challenge-ended"

        /// When it is sent, for descriptions.
        package var about: String {
            switch self {
            case .wrongLogin: "the user name or the password is wrong"
            case .locked: "the customer is locked"
            case .malformed: "the body is invalid"
            case .invalidGrant: "the refresh token or code is unknown, used, expired, revoked, or another client's"
            case .invalidScope: "a requested scope does not exist"
            case .invalidClient: "the client is unknown, or has not authenticated as registered"
            case .unauthorizedClient: "the client may not use the grant"
            case .preconditionFailed: "`If-Match` does not have the latest entity tag"
            case .preconditionRequired: "`If-Match` is missing"
            case .notPending: "the payment to be cancelled is no longer pending"
            case .quoteEnded: "the quote has expired, was used, or is for another payment"
            case .accountClosed: "the paying or the receiving account is closed"
            case .wrongConsent: "the consent is not the token's, not authorised, or for another payment"
            case .challenged: "the customer must confirm the request"
            case .wrongCode: "the code of the challenge is wrong, and the customer can try again"
            case .challengeEnded: "the challenge is denied, locked or expired"
            }
        }
    }
}

/// A path with named parts, such as `/v1/accounts/{id}`.
package struct PathTemplate: Sendable, Hashable {
    package enum Part: Sendable, Hashable {
        case literal(String)
        case parameter(String)
        /// `{name...}`, the last: everything that is left of the path, slashes too; it may be empty.
        case rest(String)
        /// `{name}.png`: a parameter with text after it.
        case parameterWithSuffix(String, suffix: String)
    }

    package var parts: [Part]

    /// Parses the path; nil unless it begins with `/`, its braces are balanced, and a rest is at its end.
    package init?(_ text: String) {
        guard text.hasPrefix("/") else { return nil }
        parts = []
        for piece in text.dropFirst().split(separator: "/", omittingEmptySubsequences: false) {
            guard !hasRest else { return nil }
            guard piece.contains(where: { $0 == "{" || $0 == "}" }) else {
                parts.append(.literal(String(piece)))
                continue
            }
            guard piece.hasPrefix("{"), let end = piece.firstIndex(of: "}") else { return nil }
            let name = String(piece[piece.index(after: piece.startIndex)..<end])
            let suffix = String(piece[piece.index(after: end)...])
            guard !name.isEmpty, !suffix.contains(where: { $0 == "{" || $0 == "}" }) else { return nil }
            if name.hasSuffix("...") {
                guard suffix.isEmpty, name.count > 3 else { return nil }
                parts.append(.rest(String(name.dropLast(3))))
                continue
            }
            parts.append(suffix.isEmpty ? .parameter(name) : .parameterWithSuffix(name, suffix: suffix))
        }
    }

    /// Whether it ends with a part that takes the rest of the path.
    package var hasRest: Bool { if case .rest = parts.last { true } else { false } }

    package var parameters: [String] {
        parts.compactMap { part in
            switch part {
            case .literal: nil
            case .parameter(let name), .rest(let name), .parameterWithSuffix(let name, _): name
            }
        }
    }
}
