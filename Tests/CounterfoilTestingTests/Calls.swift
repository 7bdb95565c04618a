import CounterfoilTesting
import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// One request on a new connection, as simple as possible.
func call(
    _ bank: StubBank, _ path: String, method: String = "GET", token: String? = nil, key: String? = nil, body: String? = nil
) async throws -> (status: Int, body: String) {
    try await call(bank.url.appending(path: path), method: method, token: token, key: key, body: body)
}

func call(
    _ url: URL, method: String = "GET", token: String? = nil, key: String? = nil, body: String? = nil
) async throws -> (status: Int, body: String) {
    let http = connections()
    defer { http.finishTasksAndInvalidate() }
    return try await call(url, over: http, method: method, token: token, key: key, body: body)
}

/// A session whose sequential requests share a connection.
func connections() -> URLSession {
    let configuration = URLSessionConfiguration.ephemeral
    // Longer than any test may take: a test that hangs is ended by its own limit.
    configuration.timeoutIntervalForRequest = 600
    return URLSession(configuration: configuration)
}

func call(
    _ url: URL, over http: URLSession, method: String = "GET", token: String? = nil, key: String? = nil, body: String? = nil
) async throws -> (status: Int, body: String) {
    var request = URLRequest(url: url)
    request.httpMethod = method
    if let token { request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization") }
    if let key { request.setValue(key, forHTTPHeaderField: "Idempotency-Key") }
    if let body {
        request.setValue("application/json", forHTTPHeaderField: "Content-Type")
        request.httpBody = Data(body.utf8)
    }
    let (data, response) = try await http.data(for: request)
    return ((response as? HTTPURLResponse)?.statusCode ?? 0, String(decoding: data, as: UTF8.self))
}

/// A payment of ava's at the bank `counterfoil`.
func pay(_ bank: StubBank, _ amount: String = "5.00", token: String, key: String = "tea-1") async throws -> (status: Int, body: String) {
    try await call(
        bank, "v1/payments", method: "POST", token: token, key: key,
        body: #"{"from":"ava-gbp","to":"payee-lark","amount":{"amount":"\#(amount)","currency":"GBP"}}"#)
}

/// The error that the call threw, as a bank's; nil if it threw none or another.
func trouble(_ call: () async throws -> Void) async -> StubBankError? {
    do {
        try await call()
        return nil
    } catch {
        return error as? StubBankError
    }
}

/// The JSON object that a form gets.
func post(_ url: URL, form: String) async throws -> [String: Any] {
    let http = connections()
    defer { http.finishTasksAndInvalidate() }
    var request = URLRequest(url: url)
    request.httpMethod = "POST"
    request.setValue("application/x-www-form-urlencoded", forHTTPHeaderField: "Content-Type")
    request.httpBody = Data(form.utf8)
    let data = try await http.data(for: request).0
    return try JSONSerialization.jsonObject(with: data) as? [String: Any] ?? [:]
}
