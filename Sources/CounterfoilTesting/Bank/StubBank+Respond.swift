import BankCore
import BankEngine
public import BankModel
import Faults
public import Foundation
import StubServer

extension StubBank {
    /// A JSON value; literals are values. Numbers keep their digits.
    public typealias JSON = BankModel.JSON

    /// Responds to selected requests by code instead of the bank, until the bank is reset. Of several closures for a request the last
    /// counts. Faults apply, and the journal has the exchanges.
    ///
    /// ```swift
    /// try bank.respond(to: .get("/v1/news")) { request in .json([["title": "New rates", "read": false]]) }
    /// ```
    ///
    /// The closure is called for requests with and without a valid token. If it throws, the client receives status 500 with the error as
    /// text.
    ///
    /// - Parameters:
    ///   - exchanges: the requests to respond to, even if the bank has no operation for them.
    ///   - response: the response to a request. It may run for several requests at once.
    /// - Throws: ``StubBankError`` for a selection that can never match at this bank, or after the bank's end.
    public func respond(
        to exchanges: Exchanges, _ response: @escaping @Sendable (Request) async throws -> Response
    ) throws(StubBankError) {
        let session = try live()
        let selector = try exchanges.selector
        try StubBank.mappingErrors { () throws(RuleError) in try session.answer(selector, by: ResponseClosure(respond: response)) }
    }

    /// A request that a test responds to.
    public struct Request: Sendable {
        private let request: BankRequest

        fileprivate init(_ request: BankRequest) { self.request = request }

        /// The method, such as `GET`.
        public var method: String { request.method }
        /// The path as sent, percent-encoded, without the query.
        public var path: String { request.path }
        /// The body; empty if there is none.
        public var body: Data { Data(request.body) }

        /// The value of the first header with that name, ignoring case; nil without one.
        public func header(_ name: String) -> String? { request.header(name) }

        /// The decoded value of the first query item with that name; nil without one.
        public func query(_ name: String) -> String? { request.queryValue(name) }

        /// The body as JSON.
        ///
        /// - Throws: an error with the position of the mistake if it is not JSON.
        public func json() throws -> JSON { try request.json() }
    }

    /// A response that a test gives.
    public struct Response: Sendable, Hashable {
        /// The status code, from 200 to 599.
        public var status: Int
        /// The headers, without `Date` and those of the body's length.
        public var headers: [Exchanges.Header]
        /// The body.
        public var body: Data

        /// Creates a response.
        ///
        /// - Parameters:
        ///   - status: the status code, from 200 to 599.
        ///   - headers: the headers, without `Date` and those of the body's length.
        ///   - body: the body.
        public init(status: Int, headers: [Exchanges.Header] = [], body: Data = Data()) {
            self.status = status
            self.headers = headers
            self.body = body
        }

        /// A response in JSON.
        public static func json(_ value: JSON, status: Int = 200) -> Response {
            Response(status: status, headers: [Exchanges.Header("Content-Type", "application/json")], body: Data(value.bytes))
        }

        /// A response in plain text.
        public static func text(_ text: String, status: Int = 200) -> Response {
            Response(status: status, headers: [Exchanges.Header("Content-Type", "text/plain; charset=utf-8")], body: Data(text.utf8))
        }

        /// A response without a body.
        public static func status(_ status: Int) -> Response { Response(status: status) }
    }
}

/// A test's closure, instead of a real bank.
private struct ResponseClosure: Upstream {
    let respond: @Sendable (StubBank.Request) async throws -> StubBank.Response

    func response(to request: BankRequest) async -> UpstreamResponse {
        var given: StubBank.Response
        do {
            given = try await respond(StubBank.Request(request))
            if !(200...599).contains(given.status) {
                given = .text("found the status \(given.status) in respond(to:), expected one from 200 to 599", status: 500)
            }
        } catch {
            given = .text("the closure of respond(to:) threw for \(request.method) \(request.path): \(error)", status: 500)
        }
        let headers = given.headers.map { JournalEntry.Header($0.name, $0.value) }
        return UpstreamResponse(BankResponse(status: given.status, headers: headers, body: [UInt8](given.body)))
    }

    func roles(of request: BankRequest) -> [Role] { [] }
}
