@testable import CounterfoilDriver
import Foundation
import Testing

@Suite struct DriverFailureTests {
    @Test(arguments: [
        (-999, DriverFailure.Kind.cancelled), (-1001, .timeout), (-1003, .offline), (-1004, .offline), (-1005, .offline), (-1009, .offline),
        (-1022, .tls), (-1202, .tls), (-1103, .tooLarge), (-1016, .decode), (-1011, .decode),
    ])
    func `an error of URLSession is the protocol's error of that name`(_ code: Int, _ expected: DriverFailure.Kind) {
        #expect(DriverFailure(URLFault(code: code).error)?.kind == expected)
    }

    @Test(arguments: [
        (-1003, DriverFailure.Kind.offline), (-1004, .offline), (-1202, .tls), (-1005, .outcomeUnknown), (-1001, .outcomeUnknown),
        (-999, .outcomeUnknown),
    ])
    func `a payment is unknown only if a byte of it may have been sent`(_ code: Int, _ expected: DriverFailure.Kind) {
        #expect(DriverFailure(URLFault(code: code).error)?.kindOfPayment == expected)
    }

    @Test func `a payment is cancelled if the client calls it so, and unknown if its task was cancelled`() {
        #expect(DriverFailure(.cancelled).kindOfPayment == .cancelled)
        #expect(DriverFailure(CancellationError())?.kindOfPayment == .outcomeUnknown)
        #expect(DriverFailure(CancellationError())?.kind == .cancelled)
    }

    @Test(arguments: [
        (401, DriverFailure.Kind.unauthorized), (403, .forbidden), (404, .notFound), (410, .notFound), (409, .conflict), (422, .rejected),
        (429, .rateLimited), (503, .unavailable), (302, .decode), (204, .decode),
    ])
    func `a status is the protocol's error of that name`(_ status: Int, _ expected: DriverFailure.Kind) {
        #expect(DriverFailure(status: status).kind == expected)
    }

    @Test func `a response that cannot be decoded is reported without its values`() throws {
        let error = #expect(throws: DecodingError.self) {
            try JSONDecoder().decode([String: Int].self, from: Data(#"{"balance": "secret"}"#.utf8))
        }

        let failure = try DriverFailure(#require(error))

        #expect(failure == DriverFailure(.decode, "found an unexpected value at balance"))
    }

    @Test func `a response that JSONSerialization cannot read is decode`() {
        let error = #expect(throws: (any Error).self) { try JSONSerialization.jsonObject(with: Data("<html>".utf8)) }

        #expect(error.flatMap { DriverFailure($0) }?.kind == .decode)
        #expect(DriverFailure(NSError(domain: "NSCocoaErrorDomain", code: 260)) == nil)
    }

    @Test func `an error that nobody knows is a mistake of the driver`() {
        #expect(DriverFailure(NSError(domain: "acme", code: 1)) == nil)
    }
}
