package import BankModel

/// The common conventions of a family of banks.
package struct Dialect: Sendable {
    package var name: String
    package var about = ""
    /// The headers of every response, unless an operation or a response of the list has its own.
    package var headers: [HeaderTemplate] = []
    /// A header with a fresh id on every response; a request's own is echoed.
    package var requestID: String?
    /// The content type of responses with a JSON body.
    package var contentType = "application/json"
    /// The white space of JSON bodies that are made of templates.
    package var jsonLayout = JSONLayout.compact
    /// One response for each name of the closed list.
    package var responses: [DialectResponseName: ResponseTemplate] = [:]
    /// Nil if the family has no keyed writes.
    package var idempotency: IdempotencyPolicy?
    /// The magic values with which a tester provokes a rejection.
    package var magic = MagicValues()
    /// The treatment of an amount with more digits than its currency has.
    package var moreDigits = MoreDigits.refused
    /// The limit for requests to operations that set none; nil for none.
    package var rateLimit: RateLimit?

    package init(name: String) { self.name = name }

    /// Whether a client gets the same status, headers and body for both rejections.
    package func sendsTheSame(for name: DialectResponseName, and other: DialectResponseName) -> Bool {
        guard let response = responses[name], let second = responses[other] else { return false }
        // Templates are plain values: equal ones, and only those, read the same.
        return String(reflecting: response) == String(reflecting: second)
    }

    /// The treatment of a request's amount that has more digits after the point than its currency (ISO 4217), such as
    /// `1.000` GBP or `1.00` JPY.
    package enum MoreDigits: String, Sendable, CaseIterable {
        /// It is rejected, even if the superfluous digits are zeros.
        case refused
        /// Superfluous zeros are ignored; any other digit is rejected.
        case zeros
    }
}

/// Values that testers enter to provoke an outcome, with that outcome.
package struct MagicValues: Sendable {
    /// By a payment's amount in minor units, in any currency.
    package var amounts: [Int64: MagicOutcome] = [:]
    /// By the payee's key as sent, or a text of its row.
    package var payees: [String: MagicOutcome] = [:]

    package init() {}
}

package enum MagicOutcome: Sendable, Hashable {
    /// The dialect's response of that name; no money is moved.
    case errorResponse(DialectResponseName)
    /// Accepted now, rejected later.
    case rejected
}
