import BankModel
import Testing

@testable import Contracts

/// Records whose members are declared once for reading and writing.
@Suite struct RecordFormatTests {
    struct Order: Sendable, Equatable {
        var name = ""
        var count = 0
        var note: String?
    }

    private static let format: Format<Order> = .record(
        called: "an order", Order(),
        [
            .required("name", .text(), \.name), .value("count", .int(in: 0...9), \.count, unless: 0), .optional("note", .text(), \.note),
        ])

    @Test(arguments: [
        (Order(name: "a"), #"{"name":"a"}"#), (Order(name: "b", count: 2, note: "c"), #"{"name":"b","count":2,"note":"c"}"#),
    ])
    func `what is written is read again, without what is usual`(order: Order, text: String) {
        let written = Self.format.write?(order)
        #expect(written?.text == text)
        #expect(written.flatMap { Self.format.read(Node($0), Complaints()) } == order)
    }

    @Test func `all mistakes are reported at once`() {
        let complaints = Complaints()
        #expect(Self.format.read(Node(["count": 12, "nmae": "a"]), complaints) == nil)
        #expect(complaints.all.map(\.message).count == 3)
    }
}
