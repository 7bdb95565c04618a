import BankClient
import BankModel
import DriverProtocol
import Foundation

extension Mutant {
    /// Mistakes with zones, clock changes and the forms of instants.
    static var times: [Mutant] {
        [
            Mutant(
                "whole-hour-zones", "cuts the zone's offset to whole hours",
                killedBy: ["data.zones-of-half-and-quarter-hours", "data.half-hour-zones-in-whole-seconds"]
            ) { parts, start in
                let offset = start.zone.secondsFromGMT(for: Date(timeIntervalSince1970: 1_768_262_400))
                parts.showDays(in: TimeZone(secondsFromGMT: offset / 3600 * 3600) ?? .gmt, start)
            },
            Mutant(
                "winter-offset-all-year", "shows every day with the offset of January", killedBy: ["data.day-of-25-hours"]
            ) { parts, start in
                let offset = start.zone.secondsFromGMT(for: Date(timeIntervalSince1970: 1_768_262_400))
                parts.showDays(in: TimeZone(secondsFromGMT: offset) ?? .gmt, start)
            },
            Mutant(
                "every-day-has-24-hours", "ends a day 24 hours after its beginning",
                killedBy: ["data.day-of-23-hours", "data.day-of-25-hours"]
            ) { parts, _ in
                parts.show { changes in
                    changes.period = { period in
                        guard let from = period.from, let to = period.to, to - from < .seconds(30 * 3600) else { return period }
                        return Period(from: from, to: from + .seconds(24 * 3600))
                    }
                }
            },
            Mutant(
                "week-of-equal-days", "begins the window seven times 24 hours before today's midnight",
                killedBy: ["roundup.window-over-clock-change"]
            ) { parts, start in
                let zone = start.zone
                parts.roundUpRows { rows, period in
                    guard let now = period.to else { return rows }
                    let first = Instant(startOf: now.day(in: zone), in: zone) + .seconds(-7 * 24 * 3600)
                    return rows.filter { $0.at >= first }
                }
            },
            Mutant(
                "seconds-of-32-bits", "counts seconds since 1970 in 32 bits",
                killedBy: ["data.after-2038", "roundup.window-on-rare-dates"]
            ) { parts, _ in
                parts.readInstants { Instant(seconds: Int64(Int32(truncatingIfNeeded: $0.seconds))) }
            },
            Mutant(
                "instants-in-floating-point", "counts seconds since 1970 in binary floating point",
                killedBy: ["data.instants-of-nine-digits"]
            ) { parts, _ in
                parts.readInstants { instant in
                    let seconds = Double(instant.seconds) + Double(instant.nanosecondOfSecond) / 1_000_000_000
                    return Instant(seconds: Int64(seconds)) + .nanoseconds(Int64((seconds - seconds.rounded(.down)) * 1_000_000_000))
                }
            },
            Mutant(
                "no-leap-day", "leaves out rows of 29 February", killedBy: ["data.leap-days"], control: paying
            ) { parts, _ in
                parts.readRows { row throws(ClientFailure) in
                    row.changingTexts(dates) { $0.contains("-02-29") || $0.hasPrefix("29/02/") ? nil : $0 }
                }
            },
            Mutant(
                "zone-of-its-own", "reads a time without a zone as one twelve hours behind UTC",
                killedBy: ["data.instant-without-zone"]
            ) { parts, _ in
                parts.readRows { row throws(ClientFailure) in
                    row.changingTexts(dates) { $0.count == 19 && $0.contains("T") ? "\($0)-12:00" : $0 }
                }
            },
            Mutant(
                "bare-plus-in-query", "writes the offset +00:00 into a query without encoding the plus",
                killedBy: ["data.offset-in-a-window"], control: paying
            ) { parts, _ in
                parts.around { request, base throws(TransportFailure) in
                    var request = request
                    let halves = request.url.split(separator: "?", maxSplits: 1)
                    if halves.count == 2 { request.url = "\(halves[0])?\(halves[1].replacing("000Z", with: "000+00:00"))" }
                    return try await base.send(request)
                }
            },
        ]
    }

    private static let dates: Set<String> = ["booked_at", "transactionTime", "date", "effectiveDate"]
}

extension CaseStart {
    /// The customer's zone.
    fileprivate var zone: TimeZone { TimeZone(identifier: timeZone) ?? .gmt }
}

extension ClientParts {
    /// Shows days in another zone than the customer's.
    fileprivate mutating func showDays(in zone: TimeZone, _ start: CaseStart) {
        adapter = KnownBanks.adapter(start.bank, Reading(timeZone: zone), clock: caller.clock) ?? adapter
    }

    /// Changes the instants of rows as they are read.
    fileprivate mutating func readInstants(_ change: @escaping @Sendable (Instant) -> Instant) {
        readRows { row throws(ClientFailure) in
            row.changingTexts(["booked_at", "transactionTime", "date"]) { text in
                Instant(rfc3339: text).map { change($0).rfc3339(.nanoseconds) } ?? text
            }
        }
    }
}
