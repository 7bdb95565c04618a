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

    /// The rows of a list: the response itself, or its only list of objects at any depth, or of several the one with a usual name; nil
    /// if there is none.
    package static func rows(_ response: JSON) -> [JSON]? {
        if let rows = response.array { return rows }
        guard let members = response.object?.members else { return nil }
        let lists = members.filter { member in member.value.array?.allSatisfy { $0.object != nil } ?? false }
        if lists.count > 1 { return mainLists.lazy.compactMap { name in lists.first { $0.key == name }?.value.array }.first }
        if let list = lists.first?.value.array { return list }
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
        let row = flat(row)
        guard let id = id(row, notOf: []),
            let name = first(names, in: row)?.string
        else { return nil }
        let written = first(balances, in: row)
        guard let unit = currency(row) ?? written.flatMap({ currency($0) ?? money($0, nil)?.currency }) else { return nil }
        return Account(id: id, name: name, currency: unit, balance: written.flatMap { money($0, unit) })
    }

    /// nil if the response states no balance with its currency. Of a list of balances, the one that is booked counts.
    package static func balance(_ response: JSON) -> Balance? {
        if let stated = stated(response) ?? first(["data", "Data"], in: response).flatMap(stated) { return stated }
        guard let rows = rows(response) else { return nil }
        if rows.count == 1, let only = stated(rows[0]) { return only }
        func amount(_ types: [String]) -> Money? {
            let row = rows.first { row in
                first(["balanceType", "Type", "type"], in: row)?.string.map { types.contains($0.lowercased()) } ?? false
            }
            return row.flatMap(signed)
        }
        let booked = amount(["closingbooked", "interimbooked", "clbd", "itbd"])
        guard let balance = booked ?? (rows.count == 1 ? signed(rows[0]) : nil) else { return nil }
        return Balance(balance: balance, available: amount(["interimavailable", "closingavailable", "itav", "clav"]))
    }

    /// The balance that the object itself has.
    private static func stated(_ object: JSON) -> Balance? {
        let object = flat(object)
        guard let written = first(balances, in: object), let balance = money(written, currency(object)) else { return nil }
        let available = first(spendable, in: object) ?? first(spendable, in: written)
        return Balance(balance: balance, available: available.flatMap { money($0, balance.currency) })
    }

    /// The amount of a row, negative where the row says that it is a debit.
    private static func signed(_ row: JSON) -> Money? {
        guard
            let unsigned = first(["amount", "value", "Amount", "transactionAmount", "balanceAmount"], in: row).flatMap({
                money($0, currency(row))
            })
        else { return nil }
        let isOut = directions.contains { name in
            row[name]?.string.map { ["out", "debit", "dr", "outgoing", "withdrawal"].contains($0.lowercased()) } ?? false
        }
        return isOut && unsigned.minorUnits > 0 ? Money(minorUnits: -unsigned.minorUnits, currency: unsigned.currency) : unsigned
    }

    /// nil if the row is not a transaction with id, time and amount.
    package static func transaction(_ row: JSON) -> Transaction? {
        let row = flat(row)
        guard let id = id(row, notOf: others), let time = first(times, in: row).flatMap(time), let amount = signed(row) else { return nil }
        return Transaction(id: id, time: time, description: first(texts, in: row)?.string ?? "", amount: amount)
    }

    // MARK: names

    /// The list that counts where there are several, such as `booked` and `pending`.
    private static let mainLists = ["booked", "added", "transactions", "accounts", "results", "data", "items"]
    private static let balances = [
        "balance", "clearedBalance", "currentBalance", "Balance", "current_balance", "balances", "current", "booked",
    ]
    private static let spendable = ["available", "effectiveBalance", "availableBalance"]
    private static let directions = [
        "direction", "CreditDebitIndicator", "creditDebitIndicator", "debitCreditMemo", "transaction_type", "type",
    ]
    private static let times = [
        "booked_at", "bookedAt", "transactionTime", "created", "createdAt", "created_at", "timestamp", "date", "BookingDateTime",
        "bookingDate", "valueDate", "postingDateTime", "postedTimestamp", "createdOn", "creationDate", "dates",
    ]
    private static let names = [
        "name", "accountName", "nickname", "Nickname", "displayName", "display_name", "description", "Description",
    ]
    private static let texts = [
        "description", "reference", "counterPartyName", "merchant", "TransactionInformation", "remittanceInformationUnstructured", "name",
    ]
    /// What a transaction's row may have the id of besides its own.
    private static let others = ["account", "customer", "user", "merchant", "category", "card", "consent"]

    /// A row of JSON:API with the members of its `attributes`.
    private static func flat(_ row: JSON) -> JSON {
        guard let own = row.object, let attributes = own["attributes"]?.object else { return row }
        return .object(JSONObject(own.members + attributes.members.filter { own[$0.key] == nil }))
    }

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
        let written = first(["currency", "Currency", "currency_iso", "currencyCode", "currency_code", "iso_currency_code"], in: object)
        return (written?.string ?? written?["currencyCode"]?.string ?? written?["code"]?.string).flatMap(Currency.init)
    }

    private static func time(_ value: JSON) -> Time? {
        guard let text = (first(["booked", "value"], in: value) ?? value).string else { return nil }
        if let day = CivilDate(text) { return .day(day) }
        if let instant = Instant(rfc3339: text) { return .instant(instant) }
        // A date and time without a zone: of the day alone nobody can be in doubt.
        guard text.utf8.count >= 19, let separator = text.dropFirst(10).first, "T ".contains(separator) else { return nil }
        return CivilDate(String(text.prefix(10))).map(Time.day)
    }

    /// `"12.30"`, `12.30`, `{"amount": "12.30", "currency": "GBP"}`, `{"minorUnits": 1230, "currency": "GBP"}`,
    /// `{"unscaledValue": "1230", "scale": "2", "currencyCode": "GBP"}`, or an object with one of them.
    private static func money(_ value: JSON, _ outer: Currency?) -> Money? {
        let known = currency(value) ?? outer
        if value.object != nil, value["minorUnits"] == nil, value["unscaledValue"] == nil {
            return first(["amount", "value", "Amount", "current", "booked"], in: value).flatMap { money($0, known) }
        }
        guard let unit = known else { return nil }
        if let units = value["minorUnits"]?.int { return Money(minorUnits: units, currency: unit) }
        if let units = value["unscaledValue"], let scale = value["scale"] {
            return JSONNumber("\(units.plainText)e-\(scale.plainText)").flatMap { try? Money(major: $0, currency: unit) }
        }
        if let text = value.string { return try? Money(major: text, currency: unit) }
        return value.number.flatMap { try? Money(major: $0, currency: unit) }
    }
}
