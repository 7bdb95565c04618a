package import BankModel

/// How the customers of a bank consent to what an app reads and pays.
///
/// A consent is a row of a table: operations add it, the customer authorises it on the sign-in page, and the token of that sign-in
/// carries it. So consents are in the state file, in saved states and in undone commands as all rows are.
package struct ConsentPolicy: Sendable {
    /// The table of the consents; it has no fixture.
    package var table: String
    /// The field of the sign-in page's address that names a consent; nil if each sign-in makes one.
    package var parameter: String?
    /// The dotted field of a row with its state.
    package var state: String
    /// The bank's words for the states.
    package var words: [ConsentState: JSON] = [:]
    /// The longest time from the authorisation to the end; nil for none.
    package var lifetime: Duration?
    /// The field with the end: an app may ask for an early one, and an authorised consent shows its own.
    package var until: DateField?
    /// The field with the time of the latest change of the state.
    package var changed: DateField?
    /// The table of the accounts that consents cover; nil if they cover none.
    package var covers: String?
    /// The dotted field of an authorised consent with the keys of the accounts that it covers; nil if it does not show them.
    package var accounts: String?
    /// The dotted field of an account by which the sign-in page names it; nil if by its key.
    package var label: String?
    /// Which accounts a consent asks for; nil if for all of the customer.
    package var asked: AskedAccounts?
    /// The field with the permissions: a list of texts, or an object whose members they are.
    package var permissions: String?
    /// The field with the address to which the page returns without a code; nil if a client asks by an authorization request.
    package var redirect: String?
    /// Whether the row's key is the token of the customer who has authorised it.
    package var isCredential = false
    /// The row that a sign-in adds if its address names no consent; an object. Nil if a sign-in must name one.
    package var row: Template?
    /// The shapes of the bodies of webhooks about these consents, by the type of event; for others those of the bank's webhooks.
    package var bodies: [String: Template] = [:]

    package init(table: String, state: String) {
        self.table = table
        self.state = state
    }

    /// A field of a row, and how it writes an instant.
    package struct DateField: Sendable, Hashable {
        package var path: String
        package var style: DateStyle

        package init(_ path: String, _ style: DateStyle) {
            self.path = path
            self.style = style
        }
    }

    package struct AskedAccounts: Sendable, Hashable {
        /// Where the row names accounts.
        package var path: JSONPath
        /// The dotted field of an account that is named there.
        package var field: String

        package init(path: JSONPath, field: String) {
            self.path = path
            self.field = field
        }
    }

    /// The bank's word for a state.
    ///
    /// A bank that has none for an app's end says the same as of a customer's.
    func word(_ state: ConsentState) -> JSON { words[state] ?? (state == .terminated ? word(.revoked) : .string(state.rawValue)) }

    func state(of fields: JSONObject) -> ConsentState? {
        guard let word = fields.at(state) else { return nil }
        return ConsentState.allCases.first { self.word($0) == word }
    }
}

/// The state of a consent, which ``about`` describes.
package enum ConsentState: String, Sendable, CaseIterable, Hashable {
    case awaiting, authorised, rejected, revoked, terminated, expired, used

    /// What has become of the consent.
    package var about: String {
        switch self {
        case .awaiting: "the customer has not decided"
        case .authorised: "the customer has authorised it"
        case .rejected: "the customer has denied it"
        case .revoked: "the customer has ended it elsewhere"
        case .terminated: "the app has ended it; by default the word for `revoked`"
        case .expired: "it has expired"
        case .used: "its payment has been made"
        }
    }

    /// Whether a token that carries such a consent is valid.
    var allows: Bool { self == .authorised || self == .used }
}

/// A consent of a session, as testers see it.
package struct Consent: Sendable, Hashable {
    package let id: RowID
    package let state: ConsentState
    /// Who has authorised it; nil if nobody has.
    package let customer: String?
    /// The keys of the accounts that it covers.
    package let accounts: [String]
    package let permissions: [String]
    /// The instant from which it has expired; nil if it has no end, or is not authorised.
    package let expiresAt: Instant?
}

extension Operation {
    /// Requires the consent of the request's token, for one payment.
    package struct ConsentUse: Sendable {
        /// The consent that the request names.
        package var consent: Parent
        /// Dotted paths into the body that must be as in the request for the consent.
        package var same: [String]

        package init(consent: Parent, same: [String]) {
            self.consent = consent
            self.same = same
        }
    }
}

extension ValueSource {
    /// The properties of the consent that a request's token carries, or that a webhook is about.
    package enum ConsentField: Sendable, Hashable {
        /// The key of the first account that it covers.
        case account
        /// A value for each state, for the rejection of a token whose consent has ended, and for the body of a webhook.
        case byState([ConsentState: JSON])
    }
}
