import Foundation
@testable import PocketApp

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// An app with a mistake: it never forgets its token.
struct StubbornApp {
    let baseURL: URL
    let token: String
    let http = URLSession(configuration: .ephemeral)

    func accountsStatus() async throws -> Int? {
        var request = URLRequest(url: baseURL.appending(path: "v1/accounts"))
        request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
        let (_, response) = try await http.data(for: request)
        return (response as? HTTPURLResponse)?.statusCode
    }
}

/// A stand-in for `XCUIApplication`: another process that knows the bank by its environment alone. Here it is the same
/// process, because there is no simulator on Linux.
struct LaunchedApp {
    let environment: [String: String]

    /// The action of the button.
    func tapPay() async throws {
        guard let url = environment["BANK_URL"].flatMap({ URL(string: $0) }) else { throw URLError(.badURL) }
        let app = PocketApp(baseURL: url)
        try await app.signIn(user: "ava", password: "correct-horse")
        _ = try await app.pay("5.00", from: "ava-gbp", to: "payee-lark")
    }
}
