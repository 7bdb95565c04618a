// A driver: Counterfoil operates your client through it. README.md has the commands.
import CounterfoilDriver
import Foundation
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Signs in, reads a balance and pays at the bank `counterfoil`. Your own client takes its place.
actor Client {
    private let start: DriverCase
    private let session = URLSession(configuration: .ephemeral, delegate: NoRedirects(), delegateQueue: nil)
    private var user = ""
    private var token: String?
    private var payments: [String: (key: String, body: Data)] = [:]
    private var receipts: [String: Payment] = [:]

    init(_ start: DriverCase) { self.start = start }

    struct Token: Decodable { var access_token: String }
    struct Money: Codable { var amount: String, currency: String }
    struct Account: Decodable { var balance: Money }
    struct Order: Codable { var from: String, to: String, amount: Money }
    struct Problem: Decodable { var detail: String?, error_description: String? }
    struct Payment: Decodable {
        var id: String?
        var state: String
    }

    func login(_ user: String, _ password: String) async throws {
        (self.user, token) = ("", nil)
        var form = URLComponents()
        form.queryItems = [
            URLQueryItem(name: "grant_type", value: "password"), URLQueryItem(name: "username", value: user),
            URLQueryItem(name: "password", value: password),
        ]
        let body = Data((form.percentEncodedQuery ?? "").replacing("+", with: "%2B").utf8)
        token = try await send("oauth/token", body, ["Content-Type": "application/x-www-form-urlencoded"], as: Token.self).access_token
        self.user = user
    }

    func balance(_ account: String) async throws -> Money { try await send("v1/accounts/\(account)", as: Account.self).balance }

    func pay(_ intent: String, _ order: Order) async throws -> Payment {
        let name = "\(user) \(intent)"  // one payment order of one customer, one key
        if let receipt = receipts[name] { return receipt }  // paid: not sent again, because the bank may answer otherwise now
        let payment = try payments[name] ?? (UUID().uuidString, JSONEncoder().encode(order))
        payments[name] = payment
        do {
            let paid = try await send(
                "v1/payments", payment.body, ["Content-Type": "application/json", "Idempotency-Key": payment.key], as: Payment.self)
            guard ["accepted", "pending-authorisation", "settled"].contains(paid.state) else {
                throw DriverFailure(paid.state == "rejected" ? .rejected : .decode)
            }
            receipts[name] = paid
            payments[name] = nil
            return paid
        } catch let failure as DriverFailure where [.rejected, .notFound].contains(failure.kind) {
            payments[name] = nil  // rejected: the payment order, corrected, is another payment
            throw failure
        }
    }

    private func send<Response: Decodable>(
        _ path: String, _ body: Data? = nil, _ headers: [String: String] = [:], as: Response.Type
    ) async throws -> Response {
        var request = URLRequest(url: start.baseURL.appending(path: path))
        request.httpMethod = body == nil ? "GET" : "POST"
        request.httpBody = body
        request.allHTTPHeaderFields = headers
        if path != "oauth/token" {
            guard let token else { throw DriverFailure(.unauthorized, "not signed in", sent: false) }
            request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
        }
        let (data, response) = try await start.withinTotalTimeout { [session, request] in try await session.data(for: request) }
        let status = (response as? HTTPURLResponse)?.statusCode ?? 0
        if status == 401 { token = nil }
        let decoder = JSONDecoder()  // the kit knows the errors of URLSession and of decoding
        guard [200, 201].contains(status) else {
            let problem = try? decoder.decode(Problem.self, from: data)
            throw DriverFailure(status: status, problem?.detail ?? problem?.error_description ?? "")
        }
        return try decoder.decode(Response.self, from: data)
    }
}

/// The token stays at this bank.
final class NoRedirects: NSObject, URLSessionTaskDelegate {
    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) { completionHandler(nil) }
}

// Operations run off the main thread. `@MainActor` runs one on it, as the code behind a screen needs it.
await Driver("my-client 1.0", banks: ["counterfoil"]) { start in Client(start) }
    .on(.login) { @MainActor client, step in
        try await client.login(step.user, step.password)
        return .signedIn(true)
    }
    .on(.balance) { client, step in
        let balance = try await client.balance(try step.required("account"))
        return .balance(balance.amount, currency: balance.currency)
    }
    .on(.pay) { client, step in
        let amount = Client.Money(amount: try step.required("amount"), currency: try step.required("currency"))
        let order = Client.Order(from: try step.required("from"), to: try step.required("to"), amount: amount)
        let paid = try await client.pay(try step.required("intent"), order)
        return .payment(paid.id, state: paid.state)
    }
    .run()
