import BankEngine
import StubServer
import TestBanks
import TestServer
import Testing

/// A response that a fault gives in the bank's place has the headers that its dialect sends with every response. Without `no-store` an
/// HTTP cache may keep it, such as OkHttp's or URLSession's, and the client would be accused of storing what is sensitive.
@Suite struct SubstituteHeadersTests {
    static let faults: [(String, String?)] = [
        (#"{"status": {"status": 200, "body": {"a": 1}}}"#, "no-store"),
        (#"{"status": {"status": 404}}"#, "no-store"),
        (#"{"status": {"status": 200, "headers": {"Cache-Control": "max-age=9"}}}"#, "max-age=9"),
        (#"{"redirect": {"to": "same-host", "status": 301}}"#, "no-store"),
        (#""captive-portal""#, nil),
    ]

    @Test(arguments: faults)
    func `only what is not the bank's comes without the dialect's headers`(fault: String, caching: String?) async throws {
        try await withStub { stub in
            _ = try stub.till.set(rule(#"{"fault": \#(fault)}"#))

            let response = try await stub.ask(request("GET /v1/clock"))

            #expect(response.header("Cache-Control") == caching)
        }
    }
}
