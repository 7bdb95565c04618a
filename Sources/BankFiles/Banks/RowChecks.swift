import BankCore
import BankModel

/// Checks a fixture's rows: keys, dates, amounts. Dirt that the bank declares is ignored.
final class RowChecks {
    private let table: Table
    private let file: String
    private let dirty: Set<Dirt>
    private let complaints: Complaints
    private let scan: () -> RowPositions
    private lazy var positions = scan()

    /// The kinds of errors that a fixture may have on purpose.
    enum Dirt: String, CaseIterable {
        case key, date, amount
    }

    /// - Parameter positions: finds the positions of the rows; called once, with the first complaint.
    init(table: Table, file: String, dirty: Set<Dirt>, complaints: Complaints, positions: @escaping () -> RowPositions) {
        self.table = table
        self.file = file
        self.dirty = dirty
        self.complaints = complaints
        scan = positions
    }

    /// - Parameter isThorough: false checks only the keys: a server does not examine more of a million rows.
    func run(isThorough: Bool) {
        checkKeys()
        guard isThorough else { return }
        checkDates()
        checkOrder()
        for (index, row) in table.rows.enumerated() { checkUnlistedDates(.object(row), at: "", row: index) }
        guard !dirty.contains(.amount) else { return }
        if let holds = table.holds { checkBalances(holds) }
        for (index, row) in table.rows.enumerated() { checkMoney(.object(row), at: "", row: index) }
    }

    /// Checks the owners of the rows, once all tables have been read.
    func checkOwners(_ parents: [String: Table], _ customers: [Customer]) {
        let (field, known, what): (String, Set<String>, String)
        switch table.belongs {
        case .customer(let name): (field, known, what) = (name, Set(customers.map(\.login)), "a customer's login")
        case .row(let name, let parent):
            guard let parent = parents[parent] else { return }
            (field, known, what) = (
                name, Set(parent.rows.indices.compactMap { parent.rows.text(parent.key, $0) }),
                "the \(parent.key) of a row of \(parent.name)"
            )
        case .owner: return checkOwned(customers)
        case nil: return
        }
        guard table.rows.isEmpty || table.has(field) else { return }
        for index in table.rows.indices {
            let found = table.rows.text(field, index)
            guard found.map(known.contains) != true else { continue }
            let hint = found.map { didYouMean($0, among: known) } ?? ""
            complain(index, "found \(found.map { "`\($0)`" } ?? "nothing") at \(field), expected \(what)\(hint)")
        }
    }

    /// Warns of rows that no customer can see.
    private func checkOwned(_ customers: [Customer]) {
        let owned = customers.reduce(into: Set<String>()) { $0.formUnion($1.owns[table.name] ?? []) }
        for index in table.rows.indices {
            guard let key = table.rows.text(table.key, index), !owned.contains(key) else { continue }
            complaints.warn(
                "row \(index + 1): found the key `\(key)`, expected it under the `owns` of a customer: no response will ever contain the row",
                at: positions[index])
        }
    }

    private func complain(_ row: Int, _ message: String) { complaints.add("row \(row + 1): \(message)", at: positions[row]) }

    private func checkKeys() {
        guard table.rows.isEmpty || table.has(table.key) else { return }
        for row in table.rows.rows(of: "", in: table.key) { complain(row, "found no \(table.key), expected the row's key there") }
        guard !dirty.contains(.key) else { return }
        for (row, first) in table.rows.repeated(in: table.key) {
            let key = table.rows.text(table.key, row) ?? ""
            complain(
                row, "found the key `\(key)` a second time (first in row \(first + 1)), expected each once (or `dirty: [key]` in bank.yaml)"
            )
        }
    }

    var name: String { table.name }

    // MARK: dates

    /// Warns of the first row that a range of that field never finds, because its date has another form.
    func checkRange(_ field: String) {
        guard !dirty.contains(.date) else { return }
        for (index, row) in table.rows.enumerated() {
            guard let value = row.at(field), value != .null, !RowChecks.isComparable(value) else { continue }
            return complaints.warn(
                "row \(index + 1): found \(field) `\(value.plainText)`, expected a date such as 2026-01-12T09:15:00Z or 2026-01-12: `between` never finds such a row (or `dirty: [date]` in bank.yaml)",
                at: positions[index])
        }
    }

    /// Warns of the first row that is sorted by the text of its date, not by its time.
    private func checkOrder() {
        guard let field = table.order?.field, !dirty.contains(.date) else { return }
        for (index, row) in table.rows.enumerated() {
            guard let text = row.at(field)?.string, isDate(text), !RowChecks.isComparable(.string(text)) else { continue }
            return complaints.warn(
                "row \(index + 1): found \(field) `\(text)`, expected a date such as 2026-01-12T09:15:00Z or 2026-01-12: the rows are sorted by this text, not by time (or `dirty: [date]` in bank.yaml)",
                at: positions[index])
        }
    }

    /// Whether the value is compared by its time.
    private static func isComparable(_ value: JSON) -> Bool {
        guard let text = value.string else { return false }
        // A relative date that is not valid has a separate complaint.
        return text.hasPrefix("@") || Instant(rfc3339: text) != nil || CivilDate(text) != nil
    }

    private func checkDates() {
        var (relative, absolute): (Int, Int) = (0, 0)
        for field in table.relativeDates.keys.sorted() {
            for (index, row) in table.rows.enumerated() {
                guard let value = JSON.object(row).at(field), value != .null else { continue }
                let text = value.plainText
                if text.hasPrefix("@") {
                    relative += 1
                    if RelativeDate(text) == nil { complain(index, "found \(field) `\(text)`, expected a relative date such as @-3d09:15") }
                } else {
                    absolute += 1
                    guard !isDate(text), !dirty.contains(.date) else { continue }
                    complaints.warn(
                        "row \(index + 1): found \(field) `\(text)`, expected a date such as 2026-01-12T09:15:00Z (or `dirty: [date]` in bank.yaml)",
                        at: positions[index])
                }
            }
        }
        guard relative > 0, absolute > 0 else { return }
        complaints.add(
            "found \(relative) relative and \(absolute) absolute dates in \(table.name), expected all of one kind: their order would change from day to day",
            at: SourcePosition(file: file, line: 1, column: 1))
    }

    private func isDate(_ text: String) -> Bool {
        if Instant(rfc3339: text) != nil || CivilDate(text) != nil { return true }
        let parts = text.split(separator: "/", omittingEmptySubsequences: false).map { Int($0) }
        guard parts.count == 3, let day = parts[0], let month = parts[1], let year = parts[2] else { return false }
        return CivilDate(year: year, month: month, day: day) != nil
    }

    /// A relative date that `dates` does not name would be sent as written.
    private func checkUnlistedDates(_ value: JSON, at path: String, row: Int) {
        switch value {
        case .string(let text):
            guard text.hasPrefix("@"), RelativeDate(text) != nil, table.relativeDates[path] == nil, !path.hasPrefix("_") else { return }
            complain(
                row,
                "found the relative date `\(text)` at \(path), expected \(path) among the table's `dates`: otherwise it is sent unchanged")
        case .array(let elements): for element in elements { checkUnlistedDates(element, at: path, row: row) }
        case .object(let object):
            for member in object.members where member.value.isContainer || member.value.string?.utf8.first == UInt8(ascii: "@") {
                checkUnlistedDates(member.value, at: joined(path, member.key), row: row)
            }
        default: break
        }
    }

    // MARK: amounts

    private func checkBalances(_ holds: Table.Holds) {
        for (index, row) in table.rows.enumerated() {
            let currency = holds.currency.flatMap { JSON.object(row).at($0)?.string }.flatMap(Currency.init) ?? holds.fixedCurrency
            guard let currency else {
                complain(index, "found no currency at \(holds.currency ?? ""), expected an ISO 4217 code such as GBP")
                continue
            }
            for path in holds.amounts + holds.settled {
                guard let value = JSON.object(row).at(path), holds.unit.amount(value, currency) == nil else { continue }
                let expected =
                    switch holds.unit {
                    case .minor: "a whole number of minor units"
                    case .major: "a text in major units with at most \(currency.digits) digits after the point, as \(currency) has"
                    case .number: "a number in major units with at most \(currency.digits) digits after the point, as \(currency) has"
                    }
                complain(index, "found \(path) \(value.text), expected \(expected)")
            }
        }
    }

    /// Every `{amount, currency}` and `{minorUnits, currency}` must be an amount of that currency.
    private func checkMoney(_ value: JSON, at path: String, row: Int) {
        switch value {
        case .array(let elements): for element in elements { checkMoney(element, at: path, row: row) }
        case .object(let object):
            for member in object.members where member.value.isContainer {
                checkMoney(member.value, at: joined(path, member.key), row: row)
            }
            guard let currency = object["currency"]?.string.flatMap(Currency.init) else { return }
            let held = Set((table.holds?.amounts ?? []) + (table.holds?.settled ?? []))
            if let units = object["minorUnits"], units.int == nil, !held.contains(joined(path, "minorUnits")) {
                complain(row, "found \(joined(path, "minorUnits")) \(units.text), expected a whole number of minor units")
            }
            guard let amount = object["amount"], !held.contains(joined(path, "amount")) else { return }
            do throws(MoneyError) {
                switch amount {
                case .string(let text): _ = try Money(major: text, currency: currency)
                case .number(let number): _ = try Money(major: number, currency: currency)
                default: break
                }
            } catch {
                complain(row, "\(path.isEmpty ? "amount" : path): \(error)")
            }
        default: break
        }
    }

    private func joined(_ path: String, _ key: String) -> String { path.isEmpty ? key : "\(path).\(key)" }
}

extension Table {
    /// Whether any row has a value at that dotted path.
    func has(_ field: String) -> Bool { rows.indices.contains { rows.value(field, $0) != nil } }

    /// The dotted paths of all fields of all rows.
    var fieldNames: Set<String> {
        var names: Set<String> = []
        func collect(_ object: JSONObject, _ path: String) {
            for member in object.members {
                names.insert(path + member.key)
                if let inner = member.value.object { collect(inner, path + member.key + ".") }
            }
        }
        for row in rows { collect(row, "") }
        return names
    }
}

/// The positions of a fixture's rows: one scan of the bytes, made only for a complaint about a row.
struct RowPositions {
    private let file: String
    private var positions: [SourcePosition] = []

    /// - Parameters:
    ///   - bytes: JSON that was parsed already; in anything else no row is found.
    ///   - member: the dotted path of the array; nil for the document itself.
    init(file: String, bytes: [UInt8], at member: String?) {
        self.file = file
        var (line, lineStart, read) = (1, 0, 0)
        for start in RowScan.elementStarts(bytes, at: member.map { $0.split(separator: ".").map(String.init) } ?? []) {
            for position in read..<start where bytes[position] == UInt8(ascii: "\n") { (line, lineStart) = (line + 1, position + 1) }
            read = start
            // A column counts characters, as in a JSON error: continuation bytes are not counted.
            let column = bytes[lineStart..<start].count { $0 & 0xC0 != 0x80 } + 1
            positions.append(SourcePosition(file: file, line: line, column: column))
        }
    }

    /// The position of the row at that index, from 0; the file's first line if it is not known.
    subscript(_ index: Int) -> SourcePosition {
        positions.indices.contains(index) ? positions[index] : SourcePosition(file: file, line: 1, column: 1)
    }
}
