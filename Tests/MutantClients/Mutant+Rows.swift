import BankClient
import BankModel
import DriverProtocol
import Foundation

extension Mutant {
    /// Mistakes with single rows of a list.
    static var rows: [Mutant] {
        [
            Mutant(
                "knows-all-words", "knows the words of a list, and fails the list on any other",
                killedBy: ["body.unknown-enum-keeps-list", "body.unknown-account-type-keeps-list"],
                control: paying
            ) { parts, _ in
                parts.read { json throws(ClientFailure) in
                    let types = (json["accounts"]?.array ?? []).compactMap { ($0["type"] ?? $0["accountType"])?.string }
                    guard types.allSatisfy(knownWords.contains) else { throw .mutant(.rejected) }
                    return try json.changingRows { row throws(ClientFailure) in
                        let words = ["kind", "source", "product.title"].compactMap { row.at($0)?.string }
                        guard words.allSatisfy(knownWords.contains), row["category_id"]?.int ?? 0 <= 100 else { throw .mutant(.rejected) }
                        return row
                    }
                }
            },
            Mutant(
                "one-currency-only", "knows one currency, and fails the list on any other",
                killedBy: ["data.currency-digits"],
                control: paying
            ) { parts, _ in
                parts.readRows { row throws(ClientFailure) in
                    let code = (row.at("amount.currency_iso") ?? row.at("amount.currency"))?.string ?? "GBP"
                    guard code == "GBP" else { throw .mutant(.rejected) }
                    return row
                }
            },
            Mutant(
                "demands-every-field", "leaves out a row without counterparty, reference or settlement time",
                killedBy: ["body.missing-optional"], control: paying
            ) { parts, _ in
                parts.readRows { row throws(ClientFailure) in
                    if row["booked_at"] != nil { return row["counterparty"] == nil ? nil : row }
                    if row["feedItemUid"] != nil { return row["reference"] == nil ? nil : row }
                    return row
                }
            },
            Mutant(
                "demands-a-fee", "leaves out a row without a fee", killedBy: ["data.missing-fee"],
                control: paying
            ) {
                parts, start in
                guard start.bank == "bins" else { return }
                parts.readRows { row throws(ClientFailure) in row["fee"] == nil ? nil : row }
            },
            Mutant("refuses-new-members", "rejects unknown members", killedBy: ["body.extra-fields"]) { parts, _ in
                parts.readRows { row throws(ClientFailure) in
                    guard row.object?.keys.contains(where: { $0.hasPrefix("x_") }) != true else { throw .mutant(.rejected) }
                    return row
                }
            },
            Mutant(
                "one-bad-row-fails-all", "fails the list when one row cannot be read", killedBy: ["body.one-bad-row-keeps-list"],
                control: paying
            ) { parts, _ in
                parts.show { changes in
                    changes.transactions = { read async throws(ClientFailure) in
                        let listing = try await read()
                        guard listing.setAside == 0 else { throw .mutant(.rejected) }
                        return listing
                    }
                }
            },
            Mutant(
                "no-sign", "shows every amount without its sign", killedBy: ["data.sign-by-direction"], control: paying
            ) {
                parts, _ in
                parts.readRows { row throws(ClientFailure) in
                    row.with("direction") { ["debit": "credit", "OUT": "IN"][$0.string ?? ""].map(JSON.string) ?? $0 }
                }
            },
            Mutant(
                "first-of-duplicates", "uses the first of rows with one id, even if it is not the newest",
                killedBy: ["data.newest-of-duplicates"], control: paying
            ) { parts, _ in
                parts.read { json throws(ClientFailure) in
                    var seen: Set<JSON> = []
                    return try json.changingRows { row throws(ClientFailure) in
                        row["id"].map { seen.insert($0).inserted } ?? true ? row : nil
                    }
                }
            },
            Mutant(
                "keeps-duplicates", "keeps each of two rows with one id",
                killedBy: ["data.equal-date-duplicates", "pages.overlap-deduplicated", "data.newest-of-duplicates"],
                control: paying
            ) { parts, _ in
                let count = Counter()
                parts.readRows { row throws(ClientFailure) in
                    row.with("id") { id in .string("\(id.string ?? id.int.map(String.init) ?? "")#\(count.next())") }
                }
                parts.showRows { rows in
                    rows.map { row in
                        var row = row
                        row.id = String(row.id.prefix { $0 != "#" })
                        return row
                    }
                }
            },
            Mutant("oldest-first", "shows the oldest row first", killedBy: ["data.latest-first"], control: paying) {
                parts, _ in
                parts.showRows { $0.reversed() }
            },
            Mutant(
                "cleared-before-pending", "shows cleared rows before pending ones within a day",
                killedBy: ["data.pending-before-cleared"], control: paying
            ) { parts, _ in
                parts.showRows { rows in
                    stable(rows) { $0.date == $1.date && $0.pending == false && $1.pending == true }
                }
            },
            Mutant(
                "pending-on-top", "shows all pending rows above all cleared ones", killedBy: ["data.merged-by-day"],
                control: paying
            ) { parts, _ in
                parts.showRows { rows in rows.filter { $0.pending == true } + rows.filter { $0.pending != true } }
            },
            Mutant("no-cash-machine", "drops the cash machine of a row", killedBy: ["data.atm-shown"]) { parts, _ in
                parts.readRows { row throws(ClientFailure) in row.with("atm_id") { _ in .null }.with("atmId") { _ in .null } }
            },
            Mutant(
                "one-cash-machine", "shows the same cash machine for every withdrawal", killedBy: ["data.atm-joined"], control: paying
            ) { parts, _ in
                parts.showRows { rows in
                    let first = rows.lazy.compactMap(\.atm).first
                    return rows.map { row in
                        var row = row
                        row.atm = row.atm == nil ? nil : first
                        return row
                    }
                }
            },
            Mutant(
                "unknown-cash-machine-fails-all", "fails the list if a row names an unlisted cash machine",
                killedBy: ["data.atm-unknown-tolerated"], control: paying
            ) { parts, _ in
                parts.read { json throws(ClientFailure) in
                    let listed =
                        (json["atms"]?.array ?? []).compactMap { $0["id"]?.string } + [
                            "atm-mill", "atm-gone", "atm-quay", "atm-circ", "atm-hill",
                        ]
                    return try json.changingRows { row throws(ClientFailure) in
                        if let named = (row["atm_id"] ?? row["atmId"])?.string, !listed.contains(named) { throw .mutant(.rejected) }
                        return row
                    }
                }
            },
            Mutant(
                "markup-runs-together", "removes `<br/>` from a text, and joins its lines", killedBy: ["data.markup-to-newline"],
                control: paying
            ) {
                parts, _ in
                parts.readRows { row throws(ClientFailure) in
                    row.changingTexts(["description"]) { $0.replacingOccurrences(of: "<br/>", with: "") }
                }
            },
            Mutant("empty-is-an-error", "reports an empty list as an error", killedBy: ["data.empty-list"]) { parts, _ in
                parts.show { changes in
                    changes.transactions = { read async throws(ClientFailure) in
                        let listing = try await read()
                        guard !listing.rows.isEmpty else { throw .mutant(.notFound) }
                        return listing
                    }
                }
            },
        ]
    }

    /// The words that the stub's own answers have.
    private static let knownWords: Set<String> = [
        "card", "transfer", "direct_debit", "cash", "fee", "interest", "internal", "salary", "current", "savings", "PRIMARY", "ADDITIONAL",
        "FASTER_PAYMENTS_IN", "FASTER_PAYMENTS_OUT", "MASTER_CARD", "DIRECT_DEBIT", "INTERNAL_TRANSFER", "CASH_WITHDRAWAL",
        "INTEREST_PAYMENT", "SAVINGS",
        "Lloyds Bank",
    ]

    private static func stable(_ rows: [Transaction], _ isBefore: (Transaction, Transaction) -> Bool) -> [Transaction] {
        rows.enumerated().sorted { isBefore($0.element, $1.element) || (!isBefore($1.element, $0.element) && $0.offset < $1.offset) }
            .map(\.element)
    }
}
