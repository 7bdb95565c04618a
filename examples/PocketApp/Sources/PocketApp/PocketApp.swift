import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The part of a small app that talks to its bank, as it could stand in any app: it knows nothing of Counterfoil, only the
/// address that it was started with.
actor PocketApp {
    private let baseURL: URL
    private let http: URLSession
    private var token: String?

    init(baseURL: URL, token: String? = nil) {
        self.baseURL = baseURL
        self.token = token
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForRequest = 60
        http = URLSession(configuration: configuration)
    }

    /// The errors that the app shows.
    enum Failure: Error, Equatable {
        case signInAgain
        case wrongPassword
        /// The bank is in maintenance; retry after `retryAfter` seconds.
        case closed(retryAfter: Int?)
        case rejected(status: Int)
        /// The outcome of the payment is unknown.
        case unknown
        case unreadable
    }

    struct Account: Decodable, Equatable {
        struct Balance: Decodable, Equatable {
            var amount: String
            var currency: String
        }

        var id: String
        var name: String
        var balance: Balance
    }

    var isSignedIn: Bool { token != nil }

    func signIn(user: String, password: String) async throws {
        try await getToken("grant_type=password&username=\(user)&password=\(password)")
    }

    /// The bank's sign-in page, for `ASWebAuthenticationSession`. A real app makes a new state and a new verifier for each sign-in; these
    /// are the ones of RFC 7636, appendix B.
    nonisolated var signInPage: URL {
        let fields = [
            ("response_type", "code"), ("client_id", "app"), ("redirect_uri", "counterfoil-app:/callback"), ("scope", "accounts"),
            ("state", "s1"), ("code_challenge", "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"), ("code_challenge_method", "S256"),
        ]
        return baseURL.appending(path: "oauth/authorize").appending(queryItems: fields.map { URLQueryItem(name: $0.0, value: $0.1) })
    }

    /// Exchanges the code in the address with which the page returned to the app.
    func finishSignIn(_ callback: URL) async throws {
        let fields = URLComponents(url: callback, resolvingAgainstBaseURL: false)?.queryItems ?? []
        guard fields.contains(URLQueryItem(name: "state", value: "s1")), let code = fields.first(where: { $0.name == "code" })?.value else {
            throw Failure.signInAgain
        }
        try await getToken(
            "grant_type=authorization_code&client_id=app&redirect_uri=counterfoil-app:/callback"
                + "&code_verifier=dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk&code=\(code)")
    }

    private func getToken(_ form: String) async throws {
        struct Grant: Decodable { var access_token: String }
        var request = URLRequest(url: url("oauth/token"))
        request.httpMethod = "POST"
        request.setValue("application/x-www-form-urlencoded", forHTTPHeaderField: "Content-Type")
        request.httpBody = Data(form.utf8)
        let (body, status) = try await send(request)
        guard status != 400, status != 401 else { throw Failure.wrongPassword }
        token = try decode(Grant.self, body).access_token
    }

    func accounts() async throws -> [Account] {
        struct List: Decodable { var accounts: [Account] }
        let (body, _) = try await sendWithToken(URLRequest(url: url("v1/accounts")))
        return try decode(List.self, body).accounts
    }

    /// The number of an account's transactions: all pages are read.
    func transactionCount(of account: String) async throws -> Int {
        struct Row: Decodable { var id: String }
        struct Page: Decodable {
            var transactions: [Row]
            var next_cursor: String?
        }
        var (count, cursor): (Int, String?) = (0, nil)
        repeat {
            let query = [URLQueryItem(name: "limit", value: "20")] + (cursor.map { [URLQueryItem(name: "cursor", value: $0)] } ?? [])
            let page = url("v1/accounts/\(account)/transactions").appending(queryItems: query)
            let read = try decode(Page.self, try await sendWithToken(URLRequest(url: page)).body)
            (count, cursor) = (count + read.transactions.count, read.next_cursor)
        } while cursor != nil
        return count
    }

    /// The titles of the bank's news.
    func news() async throws -> [String] {
        struct Item: Decodable { var title: String }
        return try decode([Item].self, try await sendWithToken(URLRequest(url: url("v1/news"))).body).map(\.title)
    }

    /// Pays once, however often it has to ask: every attempt has the key and the bytes of the first.
    func pay(_ pounds: String, from account: String, to payee: String) async throws -> String {
        struct Payment: Decodable { var state: String }
        var request = URLRequest(url: url("v1/payments"))
        request.httpMethod = "POST"
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        request.setValue(UUID().uuidString.lowercased(), forHTTPHeaderField: "Idempotency-Key")
        request.httpBody = Data(#"{"from":"\#(account)","to":"\#(payee)","amount":{"amount":"\#(pounds)","currency":"GBP"}}"#.utf8)
        for _ in 1...3 {
            do {
                return try decode(Payment.self, try await sendWithToken(request).body).state
            } catch is URLError {
                // The response is lost, perhaps the payment with it: the same again is safe.
            }
        }
        throw Failure.unknown
    }

    // MARK: requests

    private func sendWithToken(_ request: URLRequest) async throws -> (body: Data, status: Int) {
        guard let token else { throw Failure.signInAgain }
        var request = request
        request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
        let (body, status) = try await send(request)
        if status == 401 {
            self.token = nil
            throw Failure.signInAgain
        }
        guard (200..<300).contains(status) else { throw Failure.rejected(status: status) }
        return (body, status)
    }

    private func send(_ request: URLRequest) async throws -> (body: Data, status: Int) {
        let (body, response) = try await http.data(for: request)
        guard let response = response as? HTTPURLResponse else { throw Failure.unreadable }
        if response.statusCode == 503 {
            throw Failure.closed(retryAfter: response.value(forHTTPHeaderField: "Retry-After").flatMap { Int($0) })
        }
        return (body, response.statusCode)
    }

    private func url(_ path: String) -> URL { baseURL.appending(path: path) }

    private func decode<Value: Decodable>(_ type: Value.Type, _ body: Data) throws -> Value {
        do { return try JSONDecoder().decode(type, from: body) } catch { throw Failure.unreadable }
    }
}
