import BankCore
import BankFiles
import BankModel
import TestBanks
import Testing

/// A field of a form.
typealias FormField = (name: String, value: String)

/// A session of a bank, and an app that signs in on its page; no socket.
struct App {
    var state: SessionState
    var now = Instant(seconds: 1_763_553_600)
    /// The thumbprint of the certificate that the app shows; nil if it shows none.
    var certificate: String?

    /// A verifier and its S256 challenge, from RFC 7636, appendix B.
    static let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
    static let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"

    /// What the public client of the model bank asks for.
    static let asked: [FormField] = [
        ("response_type", "code"), ("client_id", "app"), ("redirect_uri", "counterfoil-app:/callback"),
        ("scope", "accounts offline_access"), ("state", "s1"), ("code_challenge", challenge), ("code_challenge_method", "S256"),
    ]

    /// What it sends for a code.
    static func exchange(_ code: String) -> [FormField] {
        [
            ("grant_type", "authorization_code"), ("code", code), ("redirect_uri", "counterfoil-app:/callback"), ("client_id", "app"),
            ("code_verifier", verifier),
        ]
    }

    /// - Parameters:
    ///   - name: the bank.
    ///   - edits: edits of its definition.
    init(
        of name: String = "counterfoil", changing edits: [(old: String, new: String)] = [], metadata: SessionMetadata = SessionMetadata(),
        seed: UInt64 = 7
    ) throws {
        var bank = try Shipped.library.load(name).bank
        if !edits.isEmpty {
            let disk = FileReader.disk
            let path = "\(Shipped.stubs)/\(name)/bank.yaml"
            var text = String(decoding: try disk.read(named: path), as: UTF8.self)
            for edit in edits {
                try #require(text.contains(edit.old), "\(edit.old)")
                text = text.replacing(edit.old, with: edit.new)
            }
            let edited = Array(text.utf8)
            let files = FileReader(
                read: { $0.hasSuffix("\(name)/bank.yaml") ? edited : try? disk.read(named: $0) }, list: { disk.list($0) })
            bank = try BankLibrary(folder: Shipped.stubs, files: files).load(name).bank
        }
        state = SessionState(
            id: "app", seed: seed, prepared: PreparedBank(bank), baseURL: "http://bank", startedAt: now, metadata: metadata)
    }

    mutating func get(_ target: String, _ headers: [JournalEntry.Header] = []) -> BankResponse { send("GET", target, headers, "") }

    mutating func post(_ path: String, _ form: [FormField], _ headers: [JournalEntry.Header] = []) -> BankResponse {
        send("POST", path, headers, formEncoded(form))
    }

    mutating func send(_ method: String, _ target: String, _ headers: [JournalEntry.Header], _ body: String) -> BankResponse {
        let parts = target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let request = BankRequest(
            method, parts[0], query: parts.count > 1 ? parts[1] : nil, headers: headers, body: Array(body.utf8),
            certificate: certificate)
        return state.answer(request, at: now).response
    }

    /// The response to a request that a fault has altered.
    mutating func execute(_ request: BankRequest, _ alteration: ReadAlteration?) throws -> BankResponse {
        let admitted = state.admit(request, at: now)
        let admission = try #require(admitted).admission
        guard case .ready(let ticket) = admission.verdict else { throw UnexpectedVerdict(verdict: "\(admission.verdict)") }
        return state.execute(ticket, at: now, alteration: alteration)
    }

    /// Opens the page.
    mutating func open(_ asked: [FormField] = App.asked) -> BankResponse { get("/oauth/authorize?" + formEncoded(asked)) }

    /// The value of the page's hidden field.
    static func formValue(_ page: BankResponse) throws -> String {
        let html = String(decoding: page.body, as: UTF8.self)
        let found = try #require(html.firstMatch(of: /name="csrf_token" value="([^"]+)"/))
        return String(found.1)
    }

    /// Sends the page's form.
    mutating func decide(
        _ page: BankResponse, _ decision: String = "approve", login: String = "ava", password: String = "correct-horse",
        choosing: Bool = false, at path: String = "/oauth/authorize"
    ) throws -> BankResponse {
        let form = [("csrf_token", try App.formValue(page)), ("username", login), ("password", password), ("decision", decision)]
        return post(path, form + (choosing ? [("choose", "yes")] : []))
    }

    /// A code, by the page.
    mutating func code(_ asked: [FormField] = App.asked) throws -> String {
        try #require(try decide(open(asked)).redirected["code"])
    }

    mutating func token(_ form: [FormField], _ headers: [JournalEntry.Header] = []) -> BankResponse {
        post("/oauth/token", form, headers)
    }

    /// The status of a read with a token.
    mutating func status(_ access: String?) -> Int {
        get("/v1/accounts", [JournalEntry.Header("Authorization", "Bearer \(access ?? "")")]).status
    }
}

/// A request that is not executed, though it should be.
private struct UnexpectedVerdict: Error {
    let verdict: String
}

extension [FormField] {
    /// The fields with one of them changed; nil leaves it out.
    func with(_ name: String, _ value: String?) -> Self {
        let rest = filter { $0.name != name }
        return value.map { rest + [(name, $0)] } ?? rest
    }
}

extension BankResponse {
    /// The address of a redirect without its query.
    var redirect: String? { header("Location").map { String($0.prefix { $0 != "?" }) } }

    /// The parameters of a redirect.
    var redirected: FormFields { FormFields(header("Location").map { String($0.drop { $0 != "?" }.dropFirst()) } ?? "") }

    var text: String { String(decoding: body, as: UTF8.self) }
}

/// The header of a client with a secret.
func basic(_ id: String, _ secret: String) -> [JournalEntry.Header] {
    [JournalEntry.Header("Authorization", "Basic " + Base64.encoded(Array("\(id):\(secret)".utf8)))]
}
