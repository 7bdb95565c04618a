/// Reads the JSON of a bank by the names that members usually have, as of banks that `counterfoil new bank` writes.
package enum CommonMembers {
    package struct Account: Sendable, Hashable {
        package var id: String
        package var name: String
        package var currency: Currency
        /// nil if the row does not state it.
        package var balance: Money?
    }

    package struct Balance: Sendable, Hashable {
        package var balance: Money
        /// nil if the response does not state it.
        package var available: Money?
    }

    package struct Transaction: Sendable, Hashable {
        package var id: String
        package var time: Time
        package var description: String
        /// Negative for money out.
        package var amount: Money
    }

    /// When something was booked, as the bank writes it.
    package enum Time: Sendable, Hashable {
        case day(CivilDate)
        case instant(Instant)
    }

    /// The rows of a list: the response itself, or its only list of objects at any depth; nil if there is none, or several.
    package static func rows(_ response: JSON) -> [JSON]? {
        if let rows = response.array { return rows }
        guard let members = response.object?.members else { return nil }
        let lists = members.compactMap { $0.value.array }.filter { $0.allSatisfy { $0.object != nil } }
        if lists.count > 1 { return nil }
        if let list = lists.first { return list }
        let inner = members.filter { $0.value.object != nil }.compactMap { rows($0.value) }
        return inner.count == 1 ? inner.first : nil
    }

    /// The text by which the next page is asked for; nil if the response names none. An address is not one.
    package static func cursor(_ response: JSON) -> String? {
        let text = first(["next_cursor", "nextCursor", "next"], in: response)?.string
        return text.flatMap { $0.isEmpty || $0.contains("/") ? nil : $0 }
    }

    /// nil if the row is not an account with id, name and currency.
    package static func account(_ row: JSON) -> Account? {
        guard let id = id(row, notOf: []),
            let name = first(names, in: row)?.string
        else { return nil }
        let written = first(balances, in: row)
        guard let currency = currency(row) ?? written.flatMap(currency) else { return nil }
        return Account(id: id, name: name, currency: currency, balance: written.flatMap { money($0, currency) })
    }

    /// nil if the response states no balance with its currency.
    package static func balance(_ response: JSON) -> Balance? {
        guard let written = first(balances, in: response), let balance = money(written, currency(response)) else { return nil }
        return Balance(
            balance: balance, available: first(["available", "effectiveBalance"], in: response).flatMap { money($0, currency(response)) })
    }

    /// nil if the row is not a transaction with id, time and amount.
    package static func transaction(_ row: JSON) -> Transaction? {
        guard let id = id(row, notOf: others), let time = first(times, in: row).flatMap(time),
            let unsigned = first(["amount", "value", "Amount", "transactionAmount"], in: row).flatMap({ money($0, currency(row)) })
        else { return nil }
        let text = first(texts, in: row)?.string ?? ""
        let direction = first(["direction", "CreditDebitIndicator"], in: row)?.string?.lowercased()
        let isOut = direction.map { ["out", "debit", "dr", "outgoing"].contains($0) } ?? false
        let amount = isOut && unsigned.minorUnits > 0 ? Money(minorUnits: -unsigned.minorUnits, currency: unsigned.currency) : unsigned
        return Transaction(id: id, time: time, description: text, amount: amount)
    }

    // MARK: names

    private static let balances = ["balance", "clearedBalance", "currentBalance", "Balance"]
    private static let times = [
        "booked_at", "bookedAt", "transactionTime", "created", "createdAt", "created_at", "timestamp", "date", "BookingDateTime",
        "bookingDate", "valueDate",
    ]
    private static let names = [
        "name", "accountName", "nickname", "Nickname", "displayName", "display_name", "description", "Description",
    ]
    private static let texts = [
        "description", "reference", "counterPartyName", "merchant", "TransactionInformation", "remittanceInformationUnstructured", "name",
    ]
    /// What a transaction's row may have the id of besides its own.
    private static let others = ["account", "customer", "user", "merchant", "category", "card", "consent"]

    private static func first(_ names: [String], in object: JSON) -> JSON? {
        names.lazy.compactMap { object[$0] }.first { $0 != .null }
    }

    /// The member `id`, or the first whose name ends so and does not begin with a word for something else.
    private static func id(_ row: JSON, notOf others: [String]) -> String? {
        let named = row.object?.members.first { member in
            let name = member.key.lowercased()
            return name.hasSuffix("id") && !others.contains(where: name.hasPrefix)
        }?.value
        let value = row["id"] ?? named
        return value?.string ?? value?.int.map(String.init)
    }

    private static func currency(_ object: JSON) -> Currency? {
        first(["currency", "Currency", "currency_iso", "currencyCode", "iso_currency_code"], in: object)?.string.flatMap(Currency.init)
    }

    private static func time(_ value: JSON) -> Time? {
        guard let text = value.string else { return nil }
        if let day = CivilDate(text) { return .day(day) }
        return Instant(rfc3339: text).map(Time.instant)
    }

    /// `"12.30"`, `12.30`, `{"amount": "12.30", "currency": "GBP"}` or `{"minorUnits": 1230, "currency": "GBP"}`.
    private static func money(_ value: JSON, _ outer: Currency?) -> Money? {
        guard let currency = currency(value) ?? outer else { return nil }
        if value.object != nil {
            if let units = value["minorUnits"]?.int { return Money(minorUnits: units, currency: currency) }
            return first(["amount", "value", "Amount"], in: value).flatMap { $0.object == nil ? money($0, currency) : nil }
        }
        if let text = value.string { return try? Money(major: text, currency: currency) }
        return value.number.flatMap { try? Money(major: $0, currency: currency) }
    }
}
