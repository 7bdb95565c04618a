import BankClient
import Platform

/// A jar of cookies as it is written in an afternoon: names and values in the order in which they came.
final class CookieJar: Sendable {
    private let cookies = Locked<[String]>([])
    private let readsAttributes: Bool

    /// - Parameter readsAttributes: whether only cookies with harmless attributes are stored.
    init(readsAttributes: Bool) { self.readsAttributes = readsAttributes }

    func removeAll() { cookies.withLock { $0 = [] } }

    /// Stores the cookies of an answer.
    func take(_ response: HTTPResponse) {
        for line in response.headers.values("Set-Cookie") {
            let parts = line.split(separator: ";").map { String($0.drop { $0 == " " }) }
            guard let cookie = parts.first, !readsAttributes || parts.dropFirst().allSatisfy(CookieJar.harmless.contains) else { continue }
            cookies.withLock { $0.append(cookie) }
        }
    }

    /// Puts all cookies into a request.
    func fill(_ request: inout HTTPRequest) {
        let cookies = cookies.withLock { $0 }
        if !cookies.isEmpty { request.headers["Cookie"] = cookies.joined(separator: "; ") }
    }

    private static let harmless: Set = ["Path=/", "HttpOnly", "SameSite=Lax"]
}
