import BankModel
import Crypto
import StubServer
import TestBanks
import TestServer
import Testing

/// Tokens that are bound to a client's key, over the wire.
@Suite struct BoundTokenTests {
    private static let files = TestFiles().replacing(
        "till/bank.yaml", "roles: {login:",
        with: "sign_in: {clients: {app: {redirects: [\"app:/back\"]}}, dpop: {use: accepted}}\nroles: {login:")

    private let key = P256.Signing.PrivateKey()

    /// A proof for a request to the host that ``request(_:token:key:headers:body:)`` names.
    private func proof(_ method: String, _ path: String, _ id: String, at now: Instant, token: String? = nil) throws -> String {
        let point = Array(key.publicKey.rawRepresentation)
        let jwk: JSON = [
            "crv": "P-256", "kty": "EC", "x": .string(Base64.url(Array(point.prefix(32)))),
            "y": .string(Base64.url(Array(point.suffix(32)))),
        ]
        let header: JSON = ["typ": "dpop+jwt", "alg": "ES256", "jwk": jwk]
        let claims: JSON = [
            "htm": .string(method), "htu": .string("http://bank\(path)"), "jti": .string(id),
            "iat": .int((now - Instant(seconds: 0)).components.seconds),
            "ath": token.map { .string(Base64.url(Array(SHA256.hash(data: Array($0.utf8))))) } ?? .null,
        ]
        let input = "\(Base64.url(header.bytes)).\(Base64.url(claims.bytes))"
        return "\(input).\(Base64.url(Array(try key.signature(for: Array(input.utf8)).rawRepresentation)))"
    }

    @Test func `a proof is for the address that the client asked, leads to the token's session, and is in no journal`() async throws {
        try await withAdmin(files: BoundTokenTests.files) { admin in
            let made = try await admin.call("POST /sessions", #"{"bank": "till", "name": "other"}"#)
            #expect(made.status == 201, "\(made.text)")
            let now = try #require(Instant(rfc3339: try await admin.call("GET /sessions/other/clock").json["now"]?.string ?? ""))
            let first = try proof("POST", "/s/other/v1/token", "j1", at: now)
            let issued = try await admin.stub.ask(
                request(
                    "POST /s/other/v1/token", headers: ["DPoP: \(first)"], body: "grant_type=password&username=ann&password=apple"))
            let access = try #require(issued.json["access"]?.string, "\(issued.text)")
            let second = try proof("GET", "/v1/accounts", "j2", at: now, token: access)

            let read = try await admin.stub.ask(request("GET /v1/accounts", headers: ["DPoP: \(second)", "Authorization: DPoP \(access)"]))
            let replayed = try await admin.stub.ask(
                request("GET /v1/accounts", headers: ["DPoP: \(second)", "Authorization: DPoP \(access)"]))
            let bearer = try await admin.stub.ask(request("GET /v1/accounts", token: access))

            #expect([read, replayed, bearer].map(\.status) == [200, 401, 401], "\(read.text)")
            #expect(replayed.header("WWW-Authenticate")?.hasPrefix("DPoP error=\"invalid_dpop_proof\"") == true)
            let journal = try await admin.call("GET /sessions/other/journal").text
            for secret in [first, second, access, second.split(separator: ".").last.map(String.init) ?? ""] {
                #expect(!journal.contains(secret), "\(secret)")
            }
            #expect(journal.contains("DPoP token#1"), "the journal has the token's name")
        }
    }
}
