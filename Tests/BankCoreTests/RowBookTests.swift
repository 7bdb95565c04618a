import BankModel
import Testing

@testable import BankCore

/// A session's rows, apart from the session.
@Suite struct RowBookTests {
    private let table = PreparedTable(Table(name: "payees", key: "id", rows: TableRows([JSONObject([("id", .string("p1"))])])))

    private var book: RowBook { RowBook(["payees": table], start: at(0)) }

    private func at(_ second: Int64) -> Instant { Instant(seconds: second) }

    private func row(_ key: String, since second: Int64, until end: Int64 = 1000) -> TableRow {
        TableRow(JSONObject([("id", .string(key))]), table.table, since: at(second), until: at(end))
    }

    @Test func `an added row is removed with all that is counted of it`() {
        var book = book
        book.insert(row("p2", since: 1), into: "payees", at: at(1))
        #expect(book.count == 1)
        #expect(book.textBytes > 0)
        #expect(book.row(table, key: "p2", at: at(1)) != nil)

        book.removeLast(from: "payees")
        #expect(book.added.isEmpty)
        #expect(book.count == 0)
        #expect(book.textBytes == 0)
    }

    @Test func `a row of the fixture is hidden from an instant on, until it is shown again`() {
        var book = book
        book.hide("p1", of: "payees", since: at(5))
        #expect(book.row(table, key: "p1", at: at(4)) != nil)
        #expect(book.row(table, key: "p1", at: at(5)) == nil)
        #expect(book.hiddenKeys(of: "payees", at: at(4)).isEmpty)
        #expect(book.hiddenKeys(of: "payees", at: at(5)) == ["p1"])

        book.hide("p1", of: "payees", since: nil)
        #expect(book.hidden.isEmpty)
    }

    @Test func `rows are due when one comes, goes or is ended`() {
        var book = book
        book.insert(row("p2", since: 10, until: 20), into: "payees", at: at(0))
        let dues = [9, 10, 11, 20, 21].map { second in book.settle(at: at(second)) }
        #expect(dues == [false, true, false, true, false])

        book.insert(row("p3", since: 30), into: "payees", at: at(30))
        book.end(1, of: "payees", at: at(35))
        let (early, due) = (book.settle(at: at(34)), book.settle(at: at(35)))
        #expect(!early)
        #expect(due)
    }

    @Test func `nothing is due of a row that ended before it came`() {
        var book = book
        book.insert(row("p2", since: 10), into: "payees", at: at(0))
        book.end(0, of: "payees", at: at(5))

        let dues = [10, 11].map { second in book.settle(at: at(second)) }
        #expect(dues.last == false)
    }
}
