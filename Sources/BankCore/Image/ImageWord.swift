/// The texts that images abbreviate to one byte: the names of members, and values that occur in nearly every command.
///
/// An image has a word's number. So a word keeps its place forever: new ones are added at the end, at most
/// ``ImageTag/firstOwnNumber`` in all, and none is removed. An image with a word that this version does not know is rejected.
enum ImageWord: UInt8, CaseIterable {
    // Names that images write themselves.
    case changes, random, moved, added, table, row, kept, issued, altered, clock, reset, saved, restored
    case since, until, fields, epoch, started, latest, movements, tokens, keys, rows
    case id, operation, key, customer, from, to, units, currency, at, ends, `as`, state
    case asked, reply, method, path, query, blanked, body, status, headers, name, committed

    // Values of these members.
    case accepted, settled, rejected
    case post, put, patch, delete
    case contentType, cacheControl, noStore, applicationJSON

    // Frequent names and values of a bank's rows.
    case accounts, transactions, payments, goals, payees, balance
    case amount, description, direction, kind, debit, credit, booked, pending, reference
    case createdAt, bookedAt, valueDate, counterparty, account, owner
    case gbp, eur, usd

    /// The words as texts, by number.
    static let texts: [String] = allCases.map { word in
        switch word {
        case .post: "POST"
        case .put: "PUT"
        case .patch: "PATCH"
        case .delete: "DELETE"
        case .contentType: "Content-Type"
        case .cacheControl: "Cache-Control"
        case .noStore: "no-store"
        case .applicationJSON: "application/json"
        case .createdAt: "created_at"
        case .bookedAt: "booked_at"
        case .valueDate: "value_date"
        case .account: "_account"
        case .owner: "_customer"
        case .gbp: "GBP"
        case .eur: "EUR"
        case .usd: "USD"
        default: "\(word)"
        }
    }

    /// The words' numbers, by text.
    static let numbers: [String: Int] = Dictionary(uniqueKeysWithValues: texts.enumerated().map { ($1, $0) })
}
