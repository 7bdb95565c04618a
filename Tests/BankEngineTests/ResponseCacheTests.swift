import BankCore
import Testing

@testable import BankEngine

@Suite struct ResponseCacheTests {
    private func key(_ target: String, _ customer: String = "") -> ResponseCache.Key {
        ResponseCache.Key(operation: 0, target: target, customer: customer)
    }

    private func response(_ bytes: Int) -> BankResponse { BankResponse(status: 200, body: [UInt8](repeating: 0, count: bytes)) }

    @Test func `a response is that of its operation, target, customer and revision`() {
        var cache = ResponseCache()
        cache.keep(response(1), under: key("/a", "ann"), revision: 3)
        cache.keep(response(2), under: key("/a", "bob"), revision: 3)
        cache.keep(response(3), under: key("/b", "ann"), revision: 3)

        #expect([key("/a", "ann"), key("/a", "bob"), key("/b", "ann")].map { cache.response($0, revision: 3)?.body.count } == [1, 2, 3])
        #expect(cache.response(key("/b", "bob"), revision: 3) == nil)
        #expect(cache.response(ResponseCache.Key(operation: 1, target: "/a", customer: "ann"), revision: 3) == nil)
        #expect(cache.response(key("/a", "ann"), revision: 4) == nil)
    }

    @Test func `another revision drops the responses of the one before`() {
        var cache = ResponseCache()
        for revision in 0..<20 { cache.keep(response(1 << 20), under: key("/\(revision)"), revision: revision) }

        #expect(cache.response(key("/19"), revision: 19) != nil)
        #expect(cache.bytes < 2 << 20)
    }

    @Test func `it has a largest size and a largest number of responses`() {
        var cache = ResponseCache()
        for number in 0..<100 {
            cache.keep(response(1 << 20), under: key("/\(number)"), revision: 0)
            #expect(cache.bytes <= 8 << 20)
        }
        for number in 0..<5000 { cache.keep(response(0), under: key("/\(number)"), revision: 0) }
        #expect(cache.bytes < 2048 * 300 + (9 << 20))
        #expect((0..<5000).count { cache.response(key("/\($0)"), revision: 0) != nil } <= 2048)
        #expect(cache.response(key("/4999"), revision: 0) != nil, "the newest is there")
        cache.keep(response(3 << 20), under: key("/large"), revision: 0)
        #expect(cache.response(key("/large"), revision: 0) == nil)
    }
}
