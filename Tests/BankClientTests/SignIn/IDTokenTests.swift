@testable import BankClient
import BankModel
import Testing

/// The ID token of a sign-in: a valid one, and each way in which it may be wrong. It was made with Python's cryptography.
struct IDTokenTests {
    private static let header = "eyJhbGciOiJFUzI1NiIsImtpZCI6ImsxIn0"
    private static let claims =
        "eyJpc3MiOiJodHRwOi8vYmFuayIsInN1YiI6ImF2YSIsImF1ZCI6ImFwcCIsImV4cCI6MTgwMDAwMzYwMCwiaWF0IjoxODAwMDAwMDAwLCJub25jZSI6Ik5PTkNF"
        + "IiwiYXRfaGFzaCI6Im9GWWYxa25OdHJxbmhBVmZCUnV0ZVEifQ"
    private static let signature = "tfHs43fNrqKZFWu8v-qXiyer6ElvRaIejryKxFuRcvjLSj8pCEl_U1CLN463x4692BHhZdjaueu1EYdwCONeQA"
    private static let token = "\(header).\(claims).\(signature)"
    private static let keys: JSON = [
        "keys": [
            [
                "kty": "EC", "crv": "P-256", "kid": "k1", "x": "-evkZBR8wQLZIyTQmdknwaUOQtV6CKEW_-wKKYGdjGU",
                "y": "cLr30SiIkCpqDB1nrdEDEjyFmrab-OlDHJOEkw1Lfu4",
            ]
        ]
    ]

    private func attempt(issuer: String = "http://bank", app: String = "app", nonce: String = "NONCE") -> SignInAttempt {
        SignInAttempt(
            verifier: "v", state: "s", nonce: nonce, app: RegisteredApp(id: app, redirect: "r", scopes: ["openid"]),
            bank: BankAddresses(issuer: issuer, page: "p", tokenPath: "/t", keysPath: "/k", namesIssuer: true))
    }

    /// What is wrong with the token; nil if it is valid.
    private func objection(
        _ token: String = token, keys: JSON = keys, _ attempt: SignInAttempt? = nil, access: String = "access", after seconds: Int64 = 0,
        omitting omitted: Set<IDTokenChecker.Check> = []
    ) -> String? {
        do throws(ClientFailure) {
            let now = Instant(seconds: 1_800_000_000 + seconds)
            try IDTokenChecker(omitting: omitted).check(
                try JSONWebToken(idToken: token), keys, of: attempt ?? self.attempt(), access: access, now: now)
            return nil
        } catch {
            return error.error == .decode ? error.detail.split(separator: ": ").last.map(String.init) : error.error.rawValue
        }
    }

    @Test func `a valid token is accepted, and a device's clock may be some minutes wrong`() {
        #expect(objection() == nil)
        #expect(objection(after: -299) == nil)
        #expect(objection(after: 3899) == nil)
    }

    @Test func `each part that is wrong is found`() {
        #expect(objection(attempt(issuer: "http://other")) == "issuer")
        #expect(objection(attempt(app: "another")) == "audience")
        #expect(objection(attempt(nonce: "another")) == "nonce")
        #expect(objection(access: "another") == "accessToken")
        #expect(objection(after: 3901) == "expiry")
        #expect(objection(after: -301) == "issuedAt")
        #expect(objection(Self.token.dropLast(2) + "AA") == "signature")
        #expect(objection(keys: ["keys": []]) == "signature")
        #expect(objection(keys: [:]) == "signature")
    }

    @Test func `a token without a signature is not accepted, whatever its header is`() {
        let none = "eyJhbGciOiJub25lIiwia2lkIjoiazEifQ"
        #expect(objection("\(none).\(Self.claims).") == "signature")
        #expect(objection("\(none).\(Self.claims).\(Self.signature)") == "signature")
    }

    @Test(arguments: ["", "a", "a.b", "a.b.c.d", "\(header).\(claims)", "\(header)=.\(claims).\(signature)", "\(header).e30.@"])
    func `what is not in three parts of base64url is no token`(text: String) {
        #expect(throws: ClientFailure.self) { try JSONWebToken(idToken: text) }
    }

    @Test func `a client that is wrong on purpose leaves out one check only`() {
        #expect(objection(attempt(nonce: "another"), omitting: [.nonce]) == nil)
        #expect(objection(attempt(issuer: "http://other"), omitting: [.nonce]) == "issuer")
    }
}

extension IDTokenTests {
    private func objection(_ attempt: SignInAttempt, omitting omitted: Set<IDTokenChecker.Check> = []) -> String? {
        objection(Self.token, attempt, omitting: omitted)
    }
}
