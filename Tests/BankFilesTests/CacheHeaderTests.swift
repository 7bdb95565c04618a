import BankCore
import BankFiles
import BankModel
import Testing

/// The responses that clients and proxies may cache: images and places, never a customer's money.
@Suite struct CacheHeaderTests {
    @Test(arguments: ShippedBanksTests.names)
    func `responses to reads say whether they may be cached`(_ name: String) throws {
        let bank = try Shipped.library.load(name).bank
        var asked = 0
        for operation in bank.operations where operation.method == "GET" && operation.path.parameters.isEmpty {
            // A password gives the scopes of `auth` only.
            if case .token(let scope?) = operation.access, bank.auth?.scopes.contains(scope) != true { continue }
            var caller = try Caller(bank, login: bank.customers.first?.login)

            let response = caller.send("GET", String(operation.requestLine.dropFirst("GET ".count)))

            // Without a client the sign-in page shows what is missing.
            #expect(response.isSuccess || response.status == 302 || operation.signIn == .page, "\(operation.name): \(response.status)")
            let isPublic = operation.access == .open && operation.etag
            #expect((response.header("Cache-Control") == "no-store") != isPublic, "\(operation.name)")
            #expect((response.header("ETag") != nil) == isPublic, "\(operation.name)")
            asked += 1
        }

        #expect(asked > 0)
    }

    @Test(arguments: [
        ("counterfoil", "/v1/images/coin.png", "public, max-age=86400"), ("counterfoil", "/v1/atms", "public, max-age=300"),
        ("feed", "/icons/larch.png", "max-age=86400"),
    ])
    func `public responses may be cached and revalidated`(_ name: String, _ path: String, _ kept: String) throws {
        var caller = try Caller(Shipped.library.load(name).bank, login: nil)

        let response = caller.send("GET", path)

        #expect(response.status == 200)
        #expect(response.header("Cache-Control") == kept)
        #expect(response.header("ETag") != nil)
        #expect(response.unmodified?.header("Cache-Control") == kept)
        #expect(caller.send("GET", path + ".none").header("Cache-Control") == "no-store")
    }

    /// Rejections are not cached either: a proxy that cached one would sign every customer out.
    @Test(arguments: ["monzo", "nextgenpsd2", "openbanking-uk", "plain", "problem-json", "starling"])
    func `no response of a dialect may be cached`(_ name: String) throws {
        let dialect = try #require(Shipped.library.check().dialects.first { $0.name == name })

        #expect(dialect.headers.map(\.name).contains("Cache-Control"))
        #expect(dialect.responses.values.allSatisfy { response in !response.headers.contains { $0.name.lowercased() == "cache-control" } })
    }
}
