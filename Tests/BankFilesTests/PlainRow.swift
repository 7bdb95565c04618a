import BankCore
import BankModel

/// A plain row of one of a bank's lists: its members and the form of each. The rows of the bank's control customers keep to it,
/// and so do the rows that a case brings, but in what the case is about.
struct PlainRow: Sendable {
    let bank: String
    /// The path of a member by which a row of this kind is known among those of the kinds before it in ``all``.
    let mark: String
    let members: [String: Form]
    /// Members that some plain rows have and others have not.
    var optional: [String: Form] = [:]

    /// How the value of a member is written.
    enum Form: Sendable {
        /// A text that is not empty.
        case text
        case words(Set<String>)
        /// A text such as `12.30`, of less than a million.
        case amountText
        /// A text such as `-12.30`, of less than a million, with its cents.
        case signedText
        /// A number such as `-12.30`, of less than a million, with its cents.
        case amount
        /// A whole number from 0 of at most nine digits.
        case whole
        case bool
        case list
        /// An instant in UTC in whole seconds, with this end.
        case instant(end: String)
        case day
        /// `05/07/2024`
        case slashedDay

        func fits(_ value: JSON) -> Bool {
            switch self {
            case .text: value.string?.isEmpty == false
            case .words(let words): words.contains(value.plainText)
            case .amountText: value.string?.wholeMatch(of: /[0-9]{1,6}(\.[0-9]{2,4})?/) != nil
            case .signedText: value.string?.wholeMatch(of: /-?[0-9]{1,6}\.[0-9]{2}/) != nil
            case .amount: value.number?.digits.wholeMatch(of: /-?[0-9]{1,6}\.[0-9]{2}/) != nil
            case .whole: value.number?.digits.wholeMatch(of: /[0-9]{1,9}/) != nil
            case .bool: value.bool != nil
            case .list: value.array?.isEmpty == false
            case .instant(let end): value.string.map { fitsInstant($0, end) } ?? false
            case .day: value.string.flatMap { CivilDate($0) } != nil
            case .slashedDay: value.string?.wholeMatch(of: /[0-9]{2}\/[0-9]{2}\/[0-9]{4}/) != nil
            }
        }

        private func fitsInstant(_ text: String, _ end: String) -> Bool {
            Instant(rfc3339: text) != nil && text.hasSuffix(end) && text.count == "2026-01-12T10:30:00".count + end.count
        }
    }

    /// The members in which a row is not plain: missing, written in another form, or unknown.
    func oddities(in row: JSON) -> [String] {
        let missing = members.filter { name, form in row.at(name).map { !form.fits($0) } ?? true }.map(\.key)
        let wrong = optional.filter { name, form in row.at(name).map { !form.fits($0) } ?? false }.map(\.key)
        let known = Set((Array(members.keys) + Array(optional.keys)).compactMap { $0.split(separator: ".").first.map(String.init) })
        let unknown = (row.object?.keys.map { $0 } ?? []).filter { !known.contains($0) }
        return (missing + wrong + unknown).sorted()
    }
}

extension PlainRow {
    /// The kinds of rows that cases bring, those known by a distinct member first.
    static let all = [
        counterfoil, counterfoilAccount, counterfoilGoal, roundup, roundupAccount, roundupBalance, roundupGoal, snapshot, snapshotAccount,
        feed, bins,
    ]

    private static let seconds = Form.instant(end: "Z")
    private static let milliseconds = Form.instant(end: ".000Z")

    static let counterfoil = PlainRow(
        bank: "counterfoil", mark: "booked_at",
        members: [
            "id": .text, "booked_at": seconds, "value_date": .day, "status": .words(["pending", "booked"]),
            "direction": .words(["debit", "credit"]), "kind": .words(["card", "transfer", "internal", "fee", "cash"]),
            "amount.amount": .amountText, "amount.currency": .words(["GBP"]), "description": .text, "counterparty": .text,
            "fee.amount": .amountText, "fee.currency": .words(["GBP"]),
        ], optional: ["atm_id": .text])

    static let counterfoilAccount = PlainRow(
        bank: "counterfoil", mark: "available.amount",
        members: [
            "id": .text, "name": .text, "type": .words(["current", "savings"]), "currency": .text, "balance.amount": .amountText,
            "balance.currency": .text, "available.amount": .amountText, "available.currency": .text,
        ])

    static let counterfoilGoal = PlainRow(
        bank: "counterfoil", mark: "saved.amount",
        members: [
            "id": .text, "name": .text, "saved.amount": .amountText, "saved.currency": .words(["GBP"]), "target.amount": .amountText,
            "target.currency": .words(["GBP"]),
        ])

    static let roundup = PlainRow(
        bank: "roundup", mark: "transactionTime",
        members: [
            "feedItemUid": .text, "categoryUid": .text, "amount.currency": .words(["GBP"]), "amount.minorUnits": .whole,
            "sourceAmount.currency": .words(["GBP"]), "sourceAmount.minorUnits": .whole, "direction": .words(["IN", "OUT"]),
            "updatedAt": milliseconds, "transactionTime": milliseconds, "settlementTime": milliseconds,
            // No transfer between own spaces: what a round-up leaves out is a case's.
            "source": .words([
                "MASTER_CARD", "FASTER_PAYMENTS_IN", "FASTER_PAYMENTS_OUT", "DIRECT_DEBIT", "CASH_WITHDRAWAL", "INTEREST_PAYMENT",
            ]),
            "sourceSubType": .text, "status": .words(["SETTLED"]),
            "counterPartyType": .words(["MERCHANT", "SENDER", "PAYEE", "STARLING"]), "counterPartyUid": .text, "counterPartyName": .text,
            "reference": .text, "country": .words(["GB"]), "spendingCategory": .text, "userNote": .text, "hasAttachment": .bool,
        ])

    static let roundupAccount = PlainRow(
        bank: "roundup", mark: "accountType",
        members: [
            "accountUid": .text, "accountType": .words(["PRIMARY", "ADDITIONAL"]), "defaultCategory": .text, "currency": .words(["GBP"]),
            "createdAt": milliseconds, "name": .text,
        ])

    static let roundupBalance = PlainRow(
        bank: "roundup", mark: "clearedBalance",
        members: Dictionary(
            uniqueKeysWithValues: [
                "clearedBalance", "effectiveBalance", "pendingTransactions", "acceptedOverdraft", "amount", "totalClearedBalance",
                "totalEffectiveBalance",
            ].flatMap { [("\($0).currency", Form.words(["GBP"])), ("\($0).minorUnits", Form.whole)] }))

    static let roundupGoal = PlainRow(
        bank: "roundup", mark: "savingsGoalUid",
        members: [
            "savingsGoalUid": .text, "name": .text, "target.currency": .words(["GBP"]), "target.minorUnits": .whole,
            "totalSaved.currency": .words(["GBP"]), "totalSaved.minorUnits": .whole, "sortOrder": .whole, "state": .words(["ACTIVE"]),
        ])

    static let bins = PlainRow(
        bank: "bins", mark: "date",
        members: ["id": .whole, "date": milliseconds, "amount": .amount, "fee": .amount, "description": .text])

    static let snapshot = PlainRow(
        bank: "snapshot", mark: "effectiveDate",
        members: ["id": .text, "effectiveDate": .slashedDay, "description": .text, "amount": .amount], optional: ["atmId": .text])

    static let snapshotAccount = PlainRow(
        bank: "snapshot", mark: "accountNumber",
        members: ["accountName": .text, "accountNumber": .text, "available": .amount, "balance": .amount])

    static let feed = PlainRow(
        bank: "feed", mark: "category_id",
        members: [
            "id": .text, "date": .day, "description": .text, "category_id": .words(["0", "1", "5", "6", "7"]), "currency": .words(["GBP"]),
            "amount.value": .amount, "amount.currency_iso": .words(["GBP"]), "product.id": .whole, "product.title": .words(["Lloyds Bank"]),
            "product.icon": .text,
        ])

    static let openbanking = PlainRow(
        bank: "openbanking", mark: "TransactionId",
        members: [
            "TransactionId": .text, "AccountId": .text, "CreditDebitIndicator": .words(["Credit", "Debit"]),
            "Status": .words(["BOOK", "PDNG"]),
            "BookingDateTime": seconds, "Amount.Amount": .amountText, "Amount.Currency": .words(["GBP"]), "TransactionInformation": .text,
        ], optional: ["ValueDateTime": seconds])

    static let openbankingAccount = PlainRow(
        bank: "openbanking", mark: "AccountTypeCode",
        members: [
            "AccountId": .text, "Status": .words(["Enabled"]), "Currency": .words(["GBP"]), "AccountCategory": .text,
            "AccountTypeCode": .text,
            "Nickname": .text,
        ], optional: ["Account": .list])

    static let berlin = PlainRow(
        bank: "berlin", mark: "transactionId",
        members: [
            "transactionId": .text, "valueDate": .day, "transactionAmount.currency": .words(["EUR"]),
            "transactionAmount.amount": .signedText, "remittanceInformationUnstructured": .text,
        ], optional: ["bookingDate": .day, "creditorName": .text, "debtorName": .text])

    static let berlinAccount = PlainRow(
        bank: "berlin", mark: "resourceId",
        members: [
            "resourceId": .text, "iban": .text, "currency": .words(["EUR"]), "name": .text, "product": .text,
            "cashAccountType": .words(["CACC", "SVGS"]),
        ], optional: ["status": .words(["enabled"])])

    static let login = PlainRow(
        bank: "login", mark: "balance", members: ["id": .text, "name": .text, "currency": .words(["GBP"]), "balance": .amount])
}
