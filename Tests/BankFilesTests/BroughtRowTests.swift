import BankFiles
import BankModel
import Foundation
import Testing

/// Rows that cases bring in place of the bank's own are plain in all that the case is not about, so that a client's failure there is
/// what the case defines.
@Suite struct BroughtRowTests {
    /// A row in a body that a case has the bank send.
    private struct Brought {
        var caseID: String
        var kind: PlainRow
        var row: JSON
        /// The path of the requests that get it; nil: any.
        var path: String?
    }

    /// The members that cases are about, as paths: there their rows are odd on purpose. `*`: in all.
    private static let subjects: [String: Set<String>] = [
        "body.extra-fields": ["x_flag", "x_new", "x_none"],
        "body.missing-optional": ["*"],
        "body.null-for-optional": [
            "atmId", "atm_id", "counterPartyUid", "counterparty", "fee", "fee.amount", "fee.currency", "reference", "replaces",
            "settlementTime", "userNote", "value_date",
        ],
        "body.one-bad-row-keeps-list": ["amount", "amount.currency_iso", "amount.minorUnits", "amount.value", "booked_at", "date"],
        "body.unknown-account-type-keeps-list": ["accountType", "type"],
        "body.unknown-enum-keeps-list": [
            "amount.currency_iso", "category_id", "counterPartyType", "country", "currency", "kind", "product.title", "source",
        ],
        "data.amount-as-text-or-number": ["amount", "amount.amount", "amount.value"],
        "data.balance-below-zero": [
            "amount.minorUnits", "available.amount", "balance.amount", "clearedBalance.minorUnits", "effectiveBalance.minorUnits",
            "totalClearedBalance.minorUnits", "totalEffectiveBalance.minorUnits",
        ],
        "data.big-minor-units": [
            "amount.minorUnits", "clearedBalance.minorUnits", "effectiveBalance.minorUnits", "sourceAmount.minorUnits",
            "totalClearedBalance.minorUnits", "totalEffectiveBalance.minorUnits",
        ],
        "data.currency-digits": [
            "amount.currency", "amount.currency_iso", "amount.value", "currency", "fee.currency", "sourceAmount.currency",
        ],
        "data.day-without-zero": ["effectiveDate"],
        "data.exact-sum": ["amount"],
        "data.forms-of-numbers": ["amount", "amount.amount", "amount.value"],
        "data.fraction-and-no-fraction": ["booked_at", "settlementTime", "transactionTime", "updatedAt"],
        "data.ids-beyond-53-bits": ["id"],
        "data.impossible-dates-dropped": ["booked_at", "date", "settlementTime", "transactionTime", "updatedAt"],
        "data.instant-without-zone": ["booked_at", "date", "settlementTime", "transactionTime", "updatedAt"],
        "data.instants-of-nine-digits": ["booked_at", "date", "settlementTime", "transactionTime", "updatedAt"],
        "data.large-amounts": ["amount", "amount.value"],
        "data.leap-days": ["booked_at", "date", "settlementTime", "transactionTime", "updatedAt"],
        "data.missing-fee": ["fee"],
        "data.newest-of-duplicates": ["date"],
        "data.odd-list": ["*"],
        "data.offset-dates": ["booked_at"],
        "data.second-60": ["date"],
        "data.two-digit-year": ["effectiveDate"],
        "pages.pending-becomes-settled": ["replaces"],
    ]

    @Test func `a row that a case brings is odd in nothing but what the case is about`() throws {
        let found = try brought()
        var odd: [String: Set<String>] = [:]
        for brought in found {
            let oddities = brought.kind.oddities(in: brought.row)
            if !oddities.isEmpty { odd[brought.caseID, default: []].formUnion(oddities) }
        }

        for (caseID, members) in odd.sorted(by: { $0.key < $1.key }) {
            let subject = Self.subjects[caseID] ?? []
            #expect(subject.contains("*") || subject.isSuperset(of: members), "\(caseID): \(members.subtracting(subject).sorted())")
        }
        // An exception that nothing needs would hide the next oddity.
        for (caseID, subject) in Self.subjects {
            let members = try #require(odd[caseID], "\(caseID) brings no odd row")
            #expect(subject.subtracting(["*"]).isSubset(of: members), "\(caseID)")
        }
        #expect(Set(found.map(\.kind.bank)) == ["counterfoil", "roundup", "bins", "snapshot", "feed"])
        #expect(found.count > 400)
    }

    /// A client may load all accounts of the customer into one table, in which ids tell rows apart.
    @Test func `transactions that a case brings are of one account`() throws {
        let account: [String: String] = ["counterfoil": "/ava-gbp/", "roundup": "/5f1c0a10-0000-4000-8000-000000000a01/"]
        let transactions = try brought().filter { ["booked_at", "transactionTime"].contains($0.kind.mark) && $0.path != nil }

        #expect(transactions.count > 100)
        for brought in transactions {
            let own = try #require(account[brought.kind.bank])
            #expect(brought.path?.contains(own) == true, "\(brought.caseID)")
        }
    }

    /// All rows in the bodies of the contracts' faults, once for each value of a parameter in them.
    private func brought() throws -> [Brought] {
        let folder = "\(Shipped.root)/Contracts"
        let files = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".yaml") }.sorted()
        return try files.flatMap { file -> [Brought] in
            let complaints = Complaints()
            let text = try String(contentsOfFile: "\(folder)/\(file)", encoding: .utf8)
            let suite = try #require(Node.parse(yaml: text, file: file, complaints)).json
            return (suite["cases"]?.array ?? []).flatMap { contract in
                (contract["steps"]?.array ?? []).flatMap { step in
                    rows(in: step.at("fault.status.body") ?? .null).flatMap { kind, row in
                        variants(of: row, matrix: contract["matrix"]).map {
                            Brought(caseID: contract["id"]?.string ?? "", kind: kind, row: $0, path: step.at("on.path")?.string)
                        }
                    }
                }
            }
        }
    }

    private func rows(in body: JSON) -> [(PlainRow, JSON)] {
        switch body {
        case .array(let elements): elements.flatMap(rows(in:))
        case .object(let object):
            if let kind = PlainRow.all.first(where: { object.at($0.mark) != nil }) {
                [(kind, body)]
            } else {
                object.members.flatMap { rows(in: $0.value) }
            }
        default: []
        }
    }

    private func variants(of row: JSON, matrix: JSON?) -> [JSON] {
        var texts = [row.text]
        for (name, values) in matrix?.object?.members ?? [] {
            texts = texts.flatMap { text in
                text.contains("\"$\(name)\"")
                    ? (values.array ?? []).map { text.replacingOccurrences(of: "\"$\(name)\"", with: $0.text) } : [text]
            }
        }
        return texts.compactMap { try? JSON(parsing: $0) }
    }
}
