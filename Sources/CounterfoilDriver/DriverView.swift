package import BankModel
public import Foundation

/// The view of an operation: the data that the user sees. Amounts and days are texts; ``Shown`` makes them.
public struct DriverView: Sendable {
    /// The view as the driver protocol has it.
    package let json: JSON

    private init(_ members: [(key: String, value: JSON?)]) {
        json = .object(JSONObject(members.compactMap { member in member.value.map { (member.key, $0) } }))
    }

    /// Of `login`, `logout` and `authorize_finish`.
    public static func signedIn(_ isSignedIn: Bool) -> DriverView { DriverView([("signed_in", .bool(isSignedIn))]) }

    /// Of `authorize_begin`.
    ///
    /// - Parameter address: the bank's sign-in page, with all that the app adds to it.
    public static func signInPage(_ address: String) -> DriverView { DriverView([("url", .string(address))]) }

    /// Of `status`.
    ///
    /// - Parameter prompts: how often the user was asked to sign in since the case began; nil if the client does not count them.
    public static func status(signedIn: Bool, prompts: Int? = nil) -> DriverView {
        DriverView([("signed_in", .bool(signedIn)), ("prompts", prompts.map(JSON.int))])
    }

    /// Of `accounts`.
    public static func accounts(_ rows: [DriverRow], age: DataAge? = nil) -> DriverView { list("accounts", rows, age) }

    /// Of `balance`.
    public static func balance(_ balance: String, available: String? = nil, currency: String? = nil, age: DataAge? = nil) -> DriverView {
        DriverView(
            [("balance", .string(balance)), ("available", available.map(JSON.string)), ("currency", currency.map(JSON.string))]
                + members(age))
    }

    /// Of `transactions`, the latest day first.
    ///
    /// - Parameter isComplete: false if a page of the list is missing.
    public static func transactions(_ rows: [DriverRow], isComplete: Bool = true, age: DataAge? = nil) -> DriverView {
        list("transactions", rows, age, [("complete", isComplete ? nil : .bool(false))])
    }

    /// Of `atms`.
    public static func atms(_ rows: [DriverRow], age: DataAge? = nil) -> DriverView { list("atms", rows, age) }

    /// Of `goals`.
    public static func goals(_ rows: [DriverRow], age: DataAge? = nil) -> DriverView { list("goals", rows, age) }

    /// Of `image`.
    ///
    /// - Parameter sha256: of the picture's bytes, in hexadecimal.
    public static func image(sha256: String, fromCache: Bool? = nil) -> DriverView {
        DriverView([("sha256", .string(sha256)), ("from_cache", fromCache.map(JSON.bool))])
    }

    /// Of `pay`, `resume` and `payment_status`.
    ///
    /// - Parameter state: `accepted`, `settled` or `pending-authorisation`; of `payment_status` also `rejected`, `returned` or `cancelled`.
    public static func payment(_ id: String?, state: String) -> DriverView {
        DriverView([("payment", id.map(JSON.string)), ("state", .string(state))])
    }

    /// Of `events`.
    ///
    /// - Parameters:
    ///   - receiver: the address at which the client gets webhooks.
    ///   - events: those that it has processed, in that order: ``DriverRow/event(_:type:amount:)``, once for each time.
    ///   - payments: the payments that it knows from them: ``DriverRow/payment(_:state:)``.
    public static func events(at receiver: String, _ events: [DriverRow], payments: [DriverRow] = []) -> DriverView {
        DriverView([
            ("url", .string(receiver)), ("events", .array(events.map(\.json))), ("payments", .array(payments.map(\.json))),
        ])
    }

    /// Of `challenge_answer`.
    ///
    /// - Parameters:
    ///   - challenge: `approved`, `wrong_code`, `locked`, `denied`, `expired` or `pending`.
    ///   - payment: the bank's id of the payment, once it is made.
    ///   - state: that of the payment, once it is made.
    public static func challenge(_ challenge: String, payment: String? = nil, state: String? = nil) -> DriverView {
        DriverView([("challenge", .string(challenge)), ("payment", payment.map(JSON.string)), ("state", state.map(JSON.string))])
    }

    /// Of `consents`.
    public static func consents(_ rows: [DriverRow]) -> DriverView { list("consents", rows, nil) }

    /// Of `consent_revoke`.
    ///
    /// - Parameter state: of the consent, as in ``DriverRow/consent(_:state:accounts:expires:)``.
    public static func consent(state: String) -> DriverView { DriverView([("state", .string(state))]) }

    /// Of `quote`.
    ///
    /// - Parameters:
    ///   - rate: the rate that the bank offers, as it has sent it.
    ///   - expires: the instant from which it is no longer valid, such as `2026-01-12T09:00:30Z`.
    public static func quote(_ rate: String, expires: String? = nil) -> DriverView {
        DriverView([("rate", .string(rate)), ("expires_at", expires.map(JSON.string))])
    }

    /// Of `watch`.
    ///
    /// - Parameters:
    ///   - balance: the booked balance.
    ///   - rows: the account's transactions, newest first.
    ///   - age: whether they are old, such as while the client waits to connect again.
    public static func watched(balance: String, _ rows: [DriverRow], age: DataAge? = nil) -> DriverView {
        DriverView([("balance", .string(balance)), ("transactions", .array(rows.map(\.json)))] + members(age))
    }

    /// Of `round_up`.
    public static func roundUp(_ amount: String, currency: String, payment: String? = nil) -> DriverView {
        DriverView([("amount", .string(amount)), ("currency", .string(currency)), ("payment", payment.map(JSON.string))])
    }

    private static func list(
        _ name: String, _ rows: [DriverRow], _ age: DataAge?, _ more: [(key: String, value: JSON?)] = []
    ) -> DriverView {
        DriverView([(name, .array(rows.map(\.json)))] + more + members(age))
    }

    private static func members(_ age: DataAge?) -> [(key: String, value: JSON?)] {
        guard let age else { return [] }
        return [("stale", .bool(true)), ("as_of", age.text.map(JSON.string))]
    }
}

/// Data that the bank did not just send.
public struct DataAge: Sendable, Hashable {
    /// When it was sent, if the client shows that.
    public let asOf: Date?
    /// The same as a view has it.
    fileprivate let text: String?

    /// Old data.
    public init(asOf: Date? = nil) {
        self.asOf = asOf
        text = asOf?.ISO8601Format()
    }

    /// Old data, with the milliseconds of its time.
    package init(of instant: Instant) {
        asOf = Date(instant)
        text = instant.rfc3339(.milliseconds)
    }
}

/// One row of a list.
public struct DriverRow: Sendable {
    let json: JSON

    private init(_ members: [(key: String, value: JSON?)]) {
        json = .object(JSONObject(members.compactMap { member in member.value.map { (member.key, $0) } }))
    }

    /// A row of `accounts`.
    public static func account(_ id: String, name: String, currency: String, balance: String? = nil) -> DriverRow {
        DriverRow([
            ("id", .string(id)), ("name", .string(name)), ("currency", .string(currency)), ("balance", balance.map(JSON.string)),
        ])
    }

    /// A row of `transactions`.
    ///
    /// - Parameters:
    ///   - date: the day in the case's time zone: ``Shown/day(_:in:)``.
    ///   - atm: the machine, if the bank lists it.
    public static func transaction(
        _ id: String, date: String, description: String, amount: String, currency: String? = nil, pending: Bool? = nil, atm: String? = nil
    ) -> DriverRow {
        DriverRow([
            ("id", .string(id)), ("date", .string(date)), ("description", .string(description)), ("amount", .string(amount)),
            ("currency", currency.map(JSON.string)), ("pending", pending.map(JSON.bool)), ("atm", atm.map(JSON.string)),
        ])
    }

    /// A row of `atms`.
    public static func atm(_ id: String, name: String, latitude: String, longitude: String) -> DriverRow {
        DriverRow([("id", .string(id)), ("name", .string(name)), ("lat", .string(latitude)), ("lng", .string(longitude))])
    }

    /// An event in `events`.
    ///
    /// - Parameter amount: as the event states it.
    public static func event(_ id: String, type: String, amount: String? = nil) -> DriverRow {
        DriverRow([("id", .string(id)), ("type", .string(type)), ("amount", amount.map(JSON.string))])
    }

    /// A payment in `events`.
    public static func payment(_ id: String, state: String) -> DriverRow { DriverRow([("id", .string(id)), ("state", .string(state))]) }

    /// A row of `consents`.
    ///
    /// - Parameters:
    ///   - state: `authorised`, `revoked` or `expired`; also `awaiting` or `rejected`.
    ///   - accounts: the accounts that it covers, as the app names them; nil if the app does not show them.
    ///   - expires: when it ends, as the app shows it.
    public static func consent(_ id: String, state: String, accounts: [String]? = nil, expires: String? = nil) -> DriverRow {
        DriverRow([
            ("id", .string(id)), ("state", .string(state)), ("accounts", accounts.map { .array($0.map(JSON.string)) }),
            ("expires", expires.map(JSON.string)),
        ])
    }

    /// A row of `goals`.
    public static func goal(_ id: String, name: String, saved: String, currency: String) -> DriverRow {
        DriverRow([("id", .string(id)), ("name", .string(name)), ("saved", .string(saved)), ("currency", .string(currency))])
    }
}
