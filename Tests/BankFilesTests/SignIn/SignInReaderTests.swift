import BankCore
import BankFiles
import BankModel
import TestBanks
import Testing

/// Errors in `sign_in`, each at its position.
@Suite struct SignInReaderTests {
    /// The complaints about the test bank with these lines in it.
    private func complaints(_ signIn: String, _ operation: String = "") throws -> [String] {
        let files = TestFiles().replacing("till/bank.yaml", "roles: {login:", with: "\(signIn)\nroles: {login:")
            .replacing("till/bank.yaml", "  renew:\n", with: operation + "  renew:\n")
        do {
            _ = try files.library.load("till")
            return []
        } catch {
            return error.complaints.map(\.description)
        }
    }

    private static let right = "sign_in: {clients: {app: {redirects: [\"app:/back\"]}}}"
    private static let page = "  page: {request: GET /authorize, open: true, sign_in: page}\n"

    @Test func `a bank with a sign-in is valid`() throws {
        #expect(try complaints(SignInReaderTests.right, SignInReaderTests.page) == [])
    }

    @Test(arguments: [
        ("sign_in: {clients: {}}", "found no client, expected at least one"),
        ("sign_in: {clients: {app: {redirects: [\"/back\"]}}}", "expected an absolute address without a fragment"),
        ("sign_in: {clients: {app: {redirects: [\"app:/back#x\"]}}}", "expected an absolute address without a fragment"),
        ("sign_in: {clients: {app: {redirects: [\"javascript:alert(1)\"]}}}", "expected an absolute address without a fragment"),
        ("sign_in: {clients: {app: {redirects: [\"app:/a b\"]}}}", "expected an absolute address without a fragment"),
        ("sign_in: {clients: {ann: {redirects: [\"app:/back\"]}}}", "which has the login of a customer"),
        ("sign_in: {clients: {app: {authentication: client_secret_post}}}", "expected with it `secret` and no `keys`"),
        ("sign_in: {clients: {app: {secret: s, authentication: none}}}", "expected with it neither `secret` nor `keys`"),
        ("sign_in: {clients: {app: {authentication: private_key_jwt}}}", "expected with it `keys` and no `secret`"),
        ("sign_in: {clients: {app: {keys: [{kty: EC, crv: P-256, x: aa, y: aa}]}}}", "expected a public key of the curve P-256"),
        ("sign_in: {clients: {app: {}}, refresh_scope: offline}", "found the scope `offline`"),
        ("sign_in: {clients: {app: {}}, openid: {}}", "expected the scope `openid` in `scopes`"),
        ("sign_in: {clients: {app: {}}, lifetime: 1m}", "unknown key `lifetime`"),
        ("sign_in: {clients: {app: {}}, dpop: {nonce: 5m}}", "`use` is missing"),
        ("sign_in: {clients: {app: {}}, dpop: {use: always}}", "`always`"),
        ("sign_in: {clients: {app: {}}, dpop: {use: accepted, algorithms: [HS256]}}", "`HS256`"),
        ("sign_in: {clients: {app: {}}, dpop: {use: accepted, algorithms: []}}", "found an empty list, expected a list of at least 1"),
        ("sign_in: {clients: {app: {}}, mtls: optional}", "`optional`"),
    ])
    func `a wrong sign-in is complained of`(signIn: String, words: String) throws {
        let found = try complaints(signIn)

        #expect(found.count == 1 && found[0].contains(words), "\(found)")
    }

    @Test(arguments: [
        ("  page: {request: POST /authorize, open: true, sign_in: page}\n", "expected GET with `sign_in: page`"),
        ("  page: {request: GET /authorize, sign_in: page}\n", "expected `open: true`"),
        ("  page: {request: GET /authorize, open: true, sign_in: page, reply: {a: 1}}\n", "found `reply` beside `sign_in`"),
    ])
    func `a wrong operation of it is complained of`(operation: String, words: String) throws {
        let found = try complaints(SignInReaderTests.right, operation)

        #expect(found.count == 1 && found[0].contains(words), "\(found)")
    }

    @Test func `a bank that binds tokens has the type of each, and bearer tokens`() throws {
        let bound = "sign_in: {clients: {app: {}}, dpop: {use: accepted}}"
        let grant = "  own: {request: POST /own, open: true, grant: {client: {scope: {form: scope}}}, reply: {token_type: Bearer}}\n"
        let files = TestFiles().replacing("till/bank.yaml", "roles: {login:", with: "\(bound)\nroles: {login:")
            .replacing("till/bank.yaml", "auth: {", with: "auth: {scheme: api-key, in: {header: X-Key}, ")

        #expect(try complaints(bound, grant).first?.contains("found `token_type: Bearer`, expected `{token: type}`") == true)
        let right = try complaints(bound, grant.replacing("Bearer", with: "{token: type}"))
        #expect(!right.contains { $0.contains("token_type") }, "\(right)")
        do {
            _ = try files.library.load("till")
            Issue.record("found no complaint about the scheme")
        } catch {
            #expect(error.complaints.contains { $0.description.contains("expected `scheme: bearer` in `auth`") }, "\(error.complaints)")
        }
    }

    @Test func `operations of a sign-in need one`() throws {
        let grant =
            "  code: {request: POST /code, open: true, takes: {form: [code]}, grant: {code: {code: {form: code}, redirect: {form: r}, verifier: {form: v}}}}\n"

        #expect(try complaints("", SignInReaderTests.page).first?.contains("`sign_in` is missing in the bank") == true)
        #expect(try complaints("", grant).first?.contains("`sign_in` is missing in the bank") == true)
    }
}
