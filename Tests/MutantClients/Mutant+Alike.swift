import BankClient
import BankModel
import Foundation
import Platform

extension Mutant {
    /// Mistakes with rows and ids that are alike, corrected rows, signs of balances, and days at the turn of a year.
    static var alike: [Mutant] {
        [
            Mutant(
                "merges-equal-rows", "shows two rows with the same day, text and amount as one", killedBy: ["data.equal-rows-are-two"],
                control: paying
            ) { parts, _ in
                parts.showRows { rows in
                    var seen: Set<[String]> = []
                    return rows.filter { seen.insert(["\($0.date)", $0.description, "\($0.amount.minorUnits)"]).inserted }
                }
            },
            Mutant(
                "ids-without-case", "compares ids without regard to upper and lower case", killedBy: ["data.ids-differ-in-case"],
                control: paying
            ) { parts, _ in
                parts.showRows { rows in
                    var seen: Set<String> = []
                    return rows.filter { seen.insert($0.id.lowercased()).inserted }
                }
            },
            Mutant(
                "ids-as-numbers", "reads an id of digits as a number, without its leading zeros", killedBy: ["data.ids-are-texts"],
                control: paying
            ) { parts, _ in
                parts.showRows { rows in
                    rows.map { row in
                        var row = row
                        row.id = Int(row.id).map(String.init) ?? row.id
                        return row
                    }
                }
            },
            Mutant(
                "year-of-the-week", "shows a day in the year of its week", killedBy: ["data.year-of-the-day"], control: paying
            ) { parts, _ in
                parts.showRows { rows in
                    rows.map { row in
                        var row = row
                        row.date = row.date.inTheYearOfItsWeek
                        return row
                    }
                }
            },
            Mutant(
                "rows-as-first-seen", "keeps each row as it was first sent, even if the bank corrects it",
                killedBy: ["data.corrected-row-shown"], control: paying
            ) { parts, _ in
                let kept = Locked<[String: Transaction]>([:])
                parts.showRows { rows in
                    kept.withLock { kept in
                        for row in rows where kept[row.id] == nil { kept[row.id] = row }
                        return rows.map { kept[$0.id] ?? $0 }
                    }
                }
            },
            Mutant(
                "balance-without-sign", "shows a balance below zero without its sign", killedBy: ["data.balance-below-zero"],
                control: paying
            ) { parts, _ in
                parts.show { changes in
                    changes.balance = { read async throws(ClientFailure) in
                        var shown = try await read()
                        let magnitude = abs(shown.balance.minorUnits)
                        shown.balance = Money(minorUnits: magnitude, currency: shown.balance.currency)
                        return shown
                    }
                }
            },
            Mutant(
                "no-balance-is-nothing", "shows 0 for an account whose balance the bank does not send",
                killedBy: ["data.account-without-balance"], control: paying
            ) { parts, _ in
                parts.show { changes in
                    changes.accounts = { read async throws(ClientFailure) in
                        var listing = try await read()
                        listing.rows = listing.rows.map { account in
                            var account = account
                            account.balance = account.balance ?? Money(minorUnits: 0, currency: account.currency)
                            return account
                        }
                        return listing
                    }
                }
            },
            Mutant(
                "shows-the-account-opened-last", "shows a late balance as that of the account that was opened meanwhile",
                killedBy: ["data.late-balance-is-its-accounts", "data.late-balance-is-its-accounts-at-roundup"], control: paying
            ) { parts, _ in
                let newest = Locked<(begun: Int, answered: Int, response: HTTPResponse?)>((0, 0, nil))
                parts.around { request, base throws(TransportFailure) in
                    guard request.method == "GET" else { return try await base.send(request) }
                    let number = newest.withLock { newest in
                        newest.begun += 1
                        return newest.begun
                    }
                    let response = try await base.send(request)
                    return newest.withLock { newest in
                        if newest.answered > number, let later = newest.response { return later }
                        (newest.answered, newest.response) = (number, response)
                        return response
                    }
                }
            },
            Mutant(
                "account-id-as-it-is", "puts an account's id into the path without encoding it", killedBy: ["data.account-id-is-encoded"],
                control: paying
            ) { parts, _ in
                parts.around { request, base throws(TransportFailure) in
                    var request = request
                    request.url = request.url.replacingOccurrences(of: "%2F", with: "/").replacingOccurrences(of: "%3F", with: "?")
                    return try await base.send(request)
                }
            },
            Mutant(
                "an-error-is-an-empty-list", "shows an empty list where the bank sends an error or null in its place",
                killedBy: ["body.error-inside-success", "body.null-for-list"], control: paying
            ) { parts, _ in
                parts.read { json throws(ClientFailure) in
                    json["error"] != nil || json["accounts"] == .null ? .nothingToShow : json
                }
            },
            Mutant(
                "one-spelling-of-json", "accepts only the exact media type `application/json`",
                killedBy: ["body.media-type-with-parameters"], control: controlWithoutToken
            ) { parts, _ in
                parts.answers { _, response in
                    guard response.status == 200, let type = response.headers["Content-Type"] else { return }
                    if type.lowercased().contains("json"), type != "application/json" { response.body = [] }
                }
            },
            Mutant(
                "null-spoils-a-row", "leaves out a row with null in any member", killedBy: ["body.null-for-optional"],
                control: paying
            ) { parts, _ in
                parts.readRows { row throws(ClientFailure) in
                    row.object?.members.contains { $0.value == .null } == true ? nil : row
                }
            },
            Mutant(
                "cursor-as-it-is", "puts a cursor into the query without encoding it", killedBy: ["pages.cursor-is-encoded"],
                control: paying
            ) { parts, _ in
                parts.around { request, base throws(TransportFailure) in
                    var request = request
                    if request.url.contains("cursor=") { request.url = request.url.replacingOccurrences(of: "%2B", with: "+") }
                    return try await base.send(request)
                }
            },
        ]
    }
}

extension CivilDate {
    /// The same month and day in the year to which the week belongs, as the pattern `YYYY` has it.
    fileprivate var inTheYearOfItsWeek: CivilDate {
        var calendar = Calendar(identifier: .iso8601)
        calendar.timeZone = .gmt
        guard let date = calendar.date(from: DateComponents(year: year, month: month, day: day)) else { return self }
        return CivilDate(year: calendar.component(.yearForWeekOfYear, from: date), month: month, day: day) ?? self
    }
}
