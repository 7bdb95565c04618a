import BankCore
import BankFiles
import BankModel
import TestBanks
import Testing

/// Banks that compare methods and paths as sent, beside those that do not.
@Suite struct AsSentTests {
    private func bank(asSent: Bool, _ lines: String...) throws -> Bank {
        var files = TestFiles()
        files.files = files.files.filter { $0.key.hasPrefix("dialects/") }
        files.files["till/bank.yaml"] = """
            bank: till
            about: As sent.
            dialect: terse
            as_sent: \(asSent)
            operations:
            \(lines.enumerated().map { "  op\($0): {request: \"\($1)\", reply: {met: \($0)}}" }.joined(separator: "\n"))
            """
        return try files.library.load("till").bank
    }

    private func met(_ bank: Bank, _ method: String, _ path: String) -> String? {
        PreparedBank(bank).router.match(BankRequest(method, path))?.name
    }

    @Test func `HEAD is a method of its own`() throws {
        let bank = try bank(asSent: true, "GET /a", "HEAD /b")

        #expect(met(bank, "GET", "/a") == "op0")
        #expect(met(bank, "HEAD", "/a") == nil)
        #expect(met(bank, "HEAD", "/b") == "op1")
        #expect(met(bank, "GET", "/b") == nil)
    }

    @Test func `elsewhere HEAD is answered where GET is`() throws {
        #expect(try met(bank(asSent: false, "GET /a"), "HEAD", "/a") == "op0")
        #expect(throws: ComplaintsError.self) { try bank(asSent: false, "HEAD /a") }
    }

    @Test(arguments: [(true, "/a%20b", "op0"), (true, "/a%2520b", nil), (true, "/%61%20b", nil), (false, "/a%2520b", "op0")])
    func `escapes are those of the request`(_ asSent: Bool, _ path: String, _ operation: String?) throws {
        #expect(try met(bank(asSent: asSent, "GET /a%20b"), "GET", path) == operation)
    }

    @Test func `parameters keep their escapes`() throws {
        let match = try PreparedBank(bank(asSent: true, "GET /a/{id}")).router.match(BankRequest("GET", "/a/%2F"))

        #expect(match?.parameters == ["id": "%2F"])
    }

    @Test func `a near miss of HEAD names the method only where GET does not match`() throws {
        let request = BankRequest("HEAD", "/b")
        let elsewhere = try PreparedBank(bank(asSent: false, "GET /a", "POST /a")).router.nearMisses(request)
        let asSent = try PreparedBank(bank(asSent: true, "GET /a")).router.nearMisses(request)

        #expect(elsewhere.map(\.reasons.count) == [1, 2])
        #expect(elsewhere.first?.reasons == ["path: found `b`, expected `a`"])
        #expect(elsewhere.last?.reasons.first == "method: found HEAD, expected POST")
        #expect(asSent.first?.reasons.first == "method: found HEAD, expected GET")
    }

    @Test func `the methods of a path are those that match`() throws {
        #expect(try PreparedBank(bank(asSent: false, "GET /a", "POST /a")).router.methods(at: "/a") == ["GET", "HEAD", "POST"])
        #expect(try PreparedBank(bank(asSent: true, "GET /a", "POST /a")).router.methods(at: "/a") == ["GET", "POST"])
        #expect(try PreparedBank(bank(asSent: true, "GET /a", "HEAD /a")).router.methods(at: "/a") == ["GET", "HEAD"])
    }
}
