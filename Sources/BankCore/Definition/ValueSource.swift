package import BankModel

/// The source of a value.
package enum ValueSource: Sendable, Hashable {
    case literal(JSON)
    /// A part of the path, decoded.
    case path(String)
    case query(String)
    case header(String)
    /// A dotted path into the JSON body.
    case body(String)
    /// What a JSONPath leads to in the JSON body; a text.
    case jsonPath(JSONPath)
    /// A field of a form body.
    case form(String)
    /// A segment of the path, decoded; the first is 0.
    case segment(Int)
    /// A part of the request; as sent, but for the path.
    case request(RequestPart)
    /// The session's time.
    case now(DateStyle)
    /// The session's time, moved, in a pattern.
    case date(DatePattern, offset: Duration)
    /// Random characters of an alphabet, from the session's generator.
    case random(alphabet: String, length: Int)
    /// A random version 4 UUID from the session's generator, after a fixed text.
    case uuid(prefix: String)
    /// An absolute address of the session; `{name}` in it is replaced by the request's path parameter.
    case url(String)
    case token(TokenField)
    case openID(OpenIDField)
    case consent(ConsentField)
    /// A dotted path into the row that the operation has added.
    case added(String)
    case challenge(ChallengeField)
    case webhook(WebhookField)
    /// `login`, or a dotted path into the customer's profile.
    case customer(String)
    /// A property of the side of a movement whose list the row belongs to.
    indirect case side(SideField)
    /// A property of the movement that the operation makes.
    case movement(MovementField)
    /// A property of the event that moves the money.
    case event(EventField)
    /// A dotted path into the row while its movement was pending; missing if it settled at once.
    case pending(String)
    /// The reason of a rejection, in a sentence; the given text if the core has none.
    case detail(String)
    /// A text in which `{scope}` is replaced by the scope that the token lacks; missing if none is known.
    case lacking(String)
    /// The texts of several, one after the other; a missing one is empty.
    indirect case joined([ValueSource])
    /// A text with HTML's special characters escaped.
    indirect case html(ValueSource)
    /// A source, and a replacement if it is missing.
    indirect case or(ValueSource, ValueSource)

    /// The parts of a request that a response can repeat.
    package enum RequestPart: String, Sendable, CaseIterable, Hashable {
        case method
        /// Decoded.
        case path
        /// Without the `?`.
        case query
        /// Path and query.
        case url
        case body
    }

    /// The properties of one side of a movement.
    package enum SideField: Sendable, Hashable {
        /// The key of the side's row.
        case account
        /// One value for the debited side, another for the credited one.
        case direction(debit: JSON, credit: JSON)
        /// A dotted path into the other side's row.
        case other(String)
        /// The same path, if the other side pays; nothing if it is paid.
        case payer(String)
        /// The same path, if the other side is paid; nothing if it pays.
        case payee(String)
        /// A value for each table that the other side may belong to.
        case otherTable([String: JSON])
    }

    /// The properties of a movement.
    package enum MovementField: String, Sendable, CaseIterable, Hashable {
        case id
        /// In the operation's format of amounts.
        case amount
        /// The amount, negative in the row of the side that pays.
        case signed
        case currency
    }

    /// The parts of OpenID Connect in a response.
    package enum OpenIDField: String, Sendable, CaseIterable, Hashable {
        /// The ID token of the tokens just issued; missing if the client did not ask for one.
        case idToken = "id-token"
        /// The public keys that verify it (RFC 7517 §5).
        case keys
    }

    /// The properties of the challenge that a response is about.
    package enum ChallengeField: String, Sendable, CaseIterable, Hashable {
        case id, kind, state
        case expiresAt = "expires-at"
        /// The seconds between two polls; missing for a code.
        case interval
        /// The number of codes that can still be tried; missing without a code.
        case attemptsLeft = "attempts-left"
        /// The address of the bank's page on which the customer decides; missing if there is no such page for it.
        case url
        /// The ids of all challenges of the consent.
        case ids
    }

    /// The properties of the webhook that the operation registers.
    package enum WebhookField: String, Sendable, CaseIterable, Hashable {
        /// Whether it has registered one.
        case registered
        /// The names of the events that its receiver gets, in the form in which a request has them; missing if it has registered none.
        case events
    }

    /// The properties of a token: the one just issued, or else the one presented.
    package enum TokenField: String, Sendable, CaseIterable, Hashable {
        /// The access token's text; only for one just issued.
        case access
        /// The refresh token's text; only for one just issued.
        case refresh
        /// The seconds until it expires.
        case lifetime
        /// Scopes, separated by spaces.
        case scope
        /// Scopes, as a list.
        case scopes
        /// The instant at which it expires.
        case expiresAt = "expires-at"
        /// `DPoP` if it is bound to a key (RFC 9449 §5), else `Bearer`.
        case type
    }
}
