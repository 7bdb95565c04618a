import BankCore
import BankFiles
import BankModel
import TestBanks
import Testing

/// A `rate_limit` in a dialect or an operation, as it is read.
@Suite struct RateLimitFileTests {
    private static let dialect = "dialects/terse.yaml"
    private static let bank = "till/bank.yaml"

    private static func inDialect(_ limit: String, at mark: String, message: String) -> Broken {
        Broken(dialect, "request_id: X-Request-Id", "rate_limit: \(limit)\nrequest_id: X-Request-Id", at: mark, message: message)
    }

    private static func inOperation(_ limit: String, at mark: String, message: String) -> Broken {
        Broken(
            bank, "clock: {request: GET /clock", "clock: {rate_limit: \(limit), request: GET /clock", at: mark, message: message)
    }

    @Test func `a dialect's limit is read with its defaults, and an operation's with the form of the dialect's headers`() throws {
        let limits = try TestFiles()
            .replacing(Self.dialect, "request_id:", with: "rate_limit: {requests: 100, within: 90s, headers: x}\nrequest_id:")
            .replacing(Self.bank, "clock: {request", with: "clock: {rate_limit: {requests: 1, within: 1d, per: customer}, request")
            .replacing(Self.bank, "document: {request", with: "document: {rate_limit: none, request")
            .library.load("till").bank
        func limit(_ name: String) throws -> RateLimit? {
            try #require(limits.operations.first { $0.name == name }).rateLimit(limits.dialect)
        }

        #expect(limits.dialect.rateLimit == RateLimit(requests: 100, within: .seconds(90), per: .token, headers: .x))
        #expect(try limit("accounts") == limits.dialect.rateLimit)
        #expect(try limit("clock") == RateLimit(requests: 1, within: .seconds(86_400), per: .customer, headers: .x))
        #expect(try limit("document") == nil)
    }

    @Test func `a dialect inherits a limit by key, changes it, or removes it`() throws {
        func limit(_ own: String) throws -> RateLimit? {
            var files = TestFiles().replacing(Self.bank, "dialect: terse", with: "dialect: mine")
                .replacing(Self.dialect, "request_id:", with: "rate_limit: {requests: 100, within: 1m, per: customer}\nrequest_id:")
            files.files["dialects/mine.yaml"] = "dialect: mine\nextends: terse\nabout: Another limit.\n\(own)"
            return try files.library.load("till").bank.dialect.rateLimit
        }

        #expect(try limit("") == RateLimit(requests: 100, within: .seconds(60), per: .customer))
        #expect(
            try limit("rate_limit: {requests: 5, headers: none}")
                == RateLimit(requests: 5, within: .seconds(60), per: .customer, headers: .none))
        #expect(try limit("rate_limit: {per: ~}") == RateLimit(requests: 100, within: .seconds(60)))
        #expect(try limit("rate_limit: ~") == nil)
    }

    static let broken = [
        inDialect("{requests: 0, within: 1m}", at: "0, within", message: "found `0`, expected a whole number from 1 to 1000000"),
        inDialect("{within: 1m}", at: "{within", message: "`requests` is missing in rate_limit"),
        inDialect("{requests: 9}", at: "{requests", message: "`within` is missing in rate_limit"),
        inDialect("{requests: 9, within: 1500ms}", at: "1500ms", message: "found `1500ms`, expected at least 1s, in whole seconds"),
        inDialect("{requests: 9, within: 0s}", at: "0s", message: "found `0s`, expected at least 1s, in whole seconds"),
        inDialect(
            "{requests: 9, within: 1m, per: user}", at: "user}", message: "found `user`, expected token, customer or operation"),
        inDialect(
            "{requests: 9, within: 1m, headers: X}", at: "X}", message: "found `X`, expected ietf, x or none"),
        inDialect(
            "{request: 9, requests: 9, within: 1m}", at: "request: 9",
            message: "unknown key `request` in rate_limit; did you mean `requests`?"
        ),
        inOperation("no", at: "no, request", message: "found `no`, expected {requests: 100, within: 1m}, or `none`"),
        inOperation("{requests: many, within: 1m}", at: "many", message: "found `many`, expected a whole number from 1 to 1000000"),
    ]

    @Test(arguments: broken)
    func `a mistake is reported with its position`(_ broken: Broken) { broken.check() }
}
