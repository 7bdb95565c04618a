import BankModel

/// A bank's transactions as the bytes of their fixture, newest first, made day by day: never more than a day's in memory.
package struct TransactionStream: Sendable {
    private let spec: BankSpec
    private let population: Population
    private let odd: OddDates
    private var spending: Spending
    /// The number of the next row; counted down.
    private var serial: Int
    /// How many rows of the days so far there are, and how many of them are of Ava's first account.
    private var done = 0
    private var doneByAva = 0
    private var written = 0
    /// The accounts but Ava's first, those for every day six times.
    private let others: [Int]

    init(_ spec: BankSpec, _ population: Population, _ machines: [[CashMachine]]) {
        self.spec = spec
        self.population = population
        serial = spec.rows
        odd = OddDates(isOn: spec.oddDates)
        spending = Spending(population: population, machines: machines, seed: spec.seed)
        others = population.accounts.indices.dropFirst().flatMap { index in
            Array(repeating: index, count: population.accounts[index].isSavings ? 1 : 6)
        }
    }

    /// How many bytes a chunk has before it is handed on.
    private static let chunk = 1 << 20

    /// Makes the whole file.
    ///
    /// - Parameter write: receives the next bytes, about 1 MiB, and the number of rows so far.
    /// - Throws: what `write` throws; nothing more is made then.
    package mutating func run<Failure: Error>(_ write: (_ bytes: [UInt8], _ rows: Int) throws(Failure) -> Void) throws(Failure) {
        var out = Array("[\n".utf8)
        let calendar = Calendar(rows: spec.rows - odd.unreadable(rows: spec.rows))
        appendUnreadable(to: &out)
        for (age, day) in calendar.days.enumerated() {
            append(day, age: age, to: &out)
            guard out.count >= TransactionStream.chunk else { continue }
            try write(out, written)
            out.removeAll(keepingCapacity: true)
        }
        out += "]\n".utf8
        try write(out, written)
    }

    // MARK: days

    private mutating func append(_ day: Calendar.Day, age: Int, to out: inout [UInt8]) {
        done += day.rows
        // Eleven of twenty over all days together, so at least half at any time.
        let ava = (done * 11 + 19) / 20 - doneByAva
        doneByAva += ava
        var rows = fill(ava, people: 0..<1, accounts: [0], day.date, age)
        rows += fill(day.rows - ava, people: 1..<population.people.count, accounts: others, day.date, age)
        rows.sort { a, b in (a.second, a.serial) > (b.second, b.serial) }
        for row in rows { append(row, odd.dates(of: row, on: day.date), on: day.date, to: &out) }
    }

    /// Writes `count` rows: first the regular transactions of those people, then purchases with one of those accounts.
    private mutating func fill(_ count: Int, people: Range<Int>, accounts: [Int], _ date: CivilDate, _ age: Int) -> [Transaction] {
        var rows: [Transaction] = []
        rows.reserveCapacity(count)
        for person in people where rows.count < count {
            let fixtures = spending.fixtures(of: population.people[person].accounts.lowerBound, on: date)
            for row in fixtures.prefix(count - rows.count) { rows.append(numbered(row)) }
        }
        while rows.count < count {
            var row = spending.next(onOneOf: accounts, date: date, age: age)
            let pending = rows.count + 2 <= count && serial > 2 ? spending.pending(before: row) : nil
            if pending != nil { row.replaces = serial - 1 }
            rows.append(numbered(row))
            if let pending { rows.append(numbered(pending)) }
        }
        return rows
    }

    private mutating func numbered(_ row: Transaction) -> Transaction {
        var row = row
        row.serial = serial
        // The oldest row is booked in any case, so that the list has a value date.
        if serial == 1 { row.isPending = false }
        serial -= 1
        return row
    }

    // MARK: rows

    private mutating func appendUnreadable(to out: inout [UInt8]) {
        for (index, text) in odd.unreadable(rows: spec.rows, on: Calendar.newest).enumerated() {
            let row = numbered(spending.next(onOneOf: index.isMultiple(of: 2) ? [0] : others, date: Calendar.newest, age: 2))
            append(row, OddDates.Pair(booked: text), on: Calendar.newest, to: &out)
        }
    }

    private mutating func append(_ row: Transaction, _ odd: OddDates.Pair, on date: CivilDate, to out: inout [UInt8]) {
        out += "  ".utf8
        row.json(of: population.accounts[row.account], on: date, odd: odd).write(to: &out, isSpaced: true)
        written += 1
        out += (written < spec.rows ? ",\n" : "\n").utf8
    }
}
