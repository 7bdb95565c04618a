import Testing

@testable import Harness

/// The order in which cases begin.
@Suite struct OrderTests {
    @Test func `long cases begin in the first half the longest first`() {
        var lengths = Array(repeating: Duration.milliseconds(50), count: 100)
        lengths[97] = .seconds(2)
        lengths[98] = .seconds(4)
        lengths[3] = .seconds(4)

        let order = TestRun.spread(lengths)

        #expect(order.sorted() == Array(0..<100), "each is run once")
        #expect(order.filter { lengths[$0] > .seconds(1) } == [3, 98, 97])
        #expect(order.firstIndex(of: 3) == 0)
        #expect(order.firstIndex(of: 97).map { (10..<51).contains($0) } == true)
        #expect(order.filter { lengths[$0] < .seconds(1) } == order.filter { lengths[$0] < .seconds(1) }.sorted())
    }

    @Test(arguments: [0, 1, 5], [Duration.milliseconds(1), .seconds(3)])
    func `cases of one length begin as they are written`(count: Int, length: Duration) {
        #expect(TestRun.spread(Array(repeating: length, count: count)) == Array(0..<count))
    }
}
