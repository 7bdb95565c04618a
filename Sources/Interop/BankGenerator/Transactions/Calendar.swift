import BankModel

/// Which days a bank's transactions are of, and how many each has: more on Fridays and Saturdays, fewest on Sundays.
struct Calendar: Sendable {
    /// The newest day; fixed, so that the same seed gives the same bytes on every day.
    static let newest = CivilDate(daysSinceEpoch: 20_757)

    /// Ten years.
    private static let longest = 3650
    /// By ``CivilDate/weekday``: from Sunday to Saturday.
    private static let weights = [8, 10, 10, 10, 11, 14, 15]

    /// One day, and how many transactions it has.
    struct Day: Sendable {
        let date: CivilDate
        let rows: Int
    }

    /// Newest first; their rows are together as many as asked for.
    let days: [Day]

    /// - Parameter rows: how many transactions there are: eight a day until there are ten years of them, then more a day.
    init(rows: Int) {
        let dates = (0..<min(Calendar.longest, 1 + rows / 8)).map { CivilDate(daysSinceEpoch: Calendar.newest.daysSinceEpoch - $0) }
        let total = dates.reduce(0) { $0 + Calendar.weights[$1.weekday] }
        var weight = 0
        var given = 0
        days = dates.map { date in
            weight += Calendar.weights[date.weekday]
            let due = rows * weight / total
            defer { given = due }
            return Day(date: date, rows: due - given)
        }
    }
}

extension CivilDate {
    /// Whether it is a Saturday or a Sunday.
    var isWeekend: Bool { weekday == 0 || weekday == 6 }

    /// The date `days` later.
    func adding(days: Int) -> CivilDate { CivilDate(daysSinceEpoch: daysSinceEpoch + days) }

    /// Whether a salary comes on that day.
    func isPayday(_ payday: Payday) -> Bool {
        guard !isWeekend else { return false }
        switch payday {
        case .lastWorkday: return adding(days: weekday == 5 ? 3 : 1).month != month
        // On a Friday also the salaries of the weekend behind it.
        case .day(let day): return (0...(weekday == 5 ? 2 : 0)).contains { adding(days: $0).day == day }
        }
    }

    /// Whether it is the month's first day from Monday to Friday, when rents go out.
    var isRentDay: Bool { !isWeekend && (day == 1 || weekday == 1 && day <= 3) }
}

/// Dates in forms that a strict client must survive or set aside; nothing is drawn, so that small banks have them too.
struct OddDates: Sendable {
    /// The replacements of a row's dates; nil if the row's own date is used.
    struct Pair: Sendable {
        var booked: String?
        var value: String?
    }

    private let isOn: Bool

    init(isOn: Bool) { self.isOn = isOn }

    /// How many rows have a `booked_at` that is not an instant: a tenth, twenty at most. A bank lists them first, as they have no
    /// place in time.
    func unreadable(rows: Int) -> Int { isOn ? min(20, rows / 10) : 0 }

    /// The dates of those rows, in the order in which they are listed.
    func unreadable(rows: Int, on date: CivilDate) -> [String] {
        (0..<unreadable(rows: rows)).map { OddDates.broken(date, $0) }.sorted { $0 > $1 }
    }

    /// The dates of a row that is in its place: each fortieth is booked at the same instant in another form, each fiftieth
    /// has an odd value date.
    func dates(of row: Transaction, on date: CivilDate) -> Pair {
        guard isOn else { return Pair() }
        let booked = row.serial % 40 == 1 ? OddDates.otherForm(of: Instant(date) + .seconds(row.second), row.serial / 40) : nil
        let value = row.serial % 50 == 1 ? OddDates.oddDay(date, row.serial / 50) : nil
        return Pair(booked: booked, value: value)
    }

    /// RFC 3339 for the same instant, or nearly: ISO 8601 leaves the offset's colon out.
    private static func otherForm(of instant: Instant, _ number: Int) -> String {
        let plain = instant.rfc3339().dropLast()
        func shifted(minutes: Int, _ offset: String) -> String { (instant + .seconds(minutes * 60)).rfc3339().dropLast() + offset }
        return switch number % 7 {
        case 0: shifted(minutes: 60, "+01:00")
        case 1: shifted(minutes: -210, "-03:30")
        case 2: plain + ".000Z"
        case 3: plain + ".000000000Z"
        case 4: plain.lowercased() + "z"
        case 5: plain + "-00:00"
        default: shifted(minutes: 330, "+0530")
        }
    }

    /// Malformed dates like those of real bank APIs; the number varies each.
    private static func broken(_ date: CivilDate, _ number: Int) -> String {
        let year = date.description.prefix(4)
        let rest = date.description.dropFirst(4)
        let minute = String(10 + number)
        return switch number % 10 {
        case 0: "\(year)-\(rest.suffix(3))T11:\(minute):27.000Z"
        case 1: "\(date)T\(minute).000Z"
        case 2: "\(rest.dropFirst())T13:\(minute):12.000Z"
        case 3: "\(date)T19:\(minute):60.000Z"
        case 4: "\(year)-02-30T10:\(minute):00Z"
        case 5: "\(date) 10:\(minute):00"
        case 6: "\(date)T10:\(minute):00"
        case 7: "31/10/\(year) 10:\(minute)"
        case 8: "17934417\(minute)"
        default: "\(date)T24:\(minute):00Z"
        }
    }

    private static func oddDay(_ date: CivilDate, _ number: Int) -> String {
        let year = date.description.prefix(4)
        return switch number % 6 {
        case 0: "\(year)-02-30"
        case 1: "\(date.day)/\(date.month)/\(year)"
        case 2: "\(year)-13-01"
        case 3: "\(year)-\(date.month)-\(date.day)"
        case 4: ""
        default: "\(date)T00:00:00Z"
        }
    }
}
