import BankClient
import BankModel
import Platform
import Testing

/// A public list that the bank has tagged is sent again only if it has changed (RFC 9110 §13.1.2).
@Suite(.timeLimit(.minutes(10)))
struct TaggedAnswersTests {
    private static let one = #"{"id":"m1","name":"Quay","location":{"lat":-33.860,"lng":151.21}}"#
    private static let two = #"{"id":"m2","name":"Hill","location":{"lat":1.5,"lng":2.50}}"#

    private static func list(_ rows: String..., tag: String?, _ caching: String = "public, max-age=300") -> ScriptedTransport.Outcome {
        var headers: HTTPHeaders = ["Cache-Control": caching]
        headers["ETag"] = tag
        return .json(200, #"{"atms":[\#(rows.joined(separator: ","))]}"#, headers: headers)
    }

    private static let unchanged = ScriptedTransport.Outcome.success(HTTPResponse(status: 304, headers: ["ETag": #""1""#]))

    /// Reads the list once for each of the bank's answers.
    private func read(
        _ answers: [ScriptedTransport.Outcome], _ body: ([Listing<ATM>], _ asked: [String?]) throws -> Void
    ) async throws {
        try await withFolder { folder in
            let cache = FileDataCache(folder: folder + "/cache", keys: KeyFile(path: folder + "/key"))
            let bank = try await Bank(cache: cache) { _, count in answers[count] }
            var listings: [Listing<ATM>] = []
            for _ in answers { listings.append(try await bank.client.atms()) }
            try body(listings, bank.transport.requests.map { $0.headers["If-None-Match"] })
        }
    }

    @Test func `unchanged it is shown as it came, digit for digit, and not as old data`() async throws {
        try await read([Self.list(Self.one, tag: #""1""#), Self.unchanged, Self.unchanged]) { listings, asked in
            #expect(asked == [nil, #""1""#, #""1""#])
            #expect(Set(listings).count == 1)
            #expect(listings.last?.rows.first?.latitude.digits == "-33.860")
            #expect(listings.last?.asOf == nil)
        }
    }

    @Test func `a changed answer replaces the cached one`() async throws {
        let two = Self.list(Self.one, Self.two, tag: #""2""#)
        try await read([Self.list(Self.one, tag: #""1""#), two, Self.unchanged]) { listings, asked in
            #expect(asked == [nil, #""1""#, #""2""#])
            #expect(listings.map(\.rows.count) == [1, 2, 2])
        }
    }

    @Test(arguments: [
        list(one, tag: nil), list(one, tag: #""1""#, "no-store"), list(one, "{}", tag: #""1""#),
    ])
    func `without a tag, with no-store, or with unreadable rows, it is requested whole the next time`(
        _ answer: ScriptedTransport.Outcome
    ) async throws {
        try await read([answer, Self.list(Self.one, tag: nil)]) { _, asked in #expect(asked == [nil, nil]) }
    }

    @Test func `a 304 without a cached answer is rejected`() async throws {
        let bank = try await Bank { _, _ in Self.unchanged }

        #expect(await bank.error { try await $0.atms() } == .decode)
    }

    @Test func `signing out removes it: it shows what a customer has viewed`() async throws {
        try await withFolder { folder in
            let cache = FileDataCache(folder: folder + "/cache", keys: KeyFile(path: folder + "/key"))
            let bank = try await Bank(cache: cache) { request, _ in
                request.method == "GET" ? Self.list(Self.one, tag: #""1""#) : .json(200, "{}")
            }
            _ = try await bank.client.atms()
            try await bank.client.signOut()

            _ = try await bank.client.atms()

            #expect(bank.transport.requests.filter { $0.method == "GET" }.map { $0.headers["If-None-Match"] } == [nil, nil])
        }
    }
}
