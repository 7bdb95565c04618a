import BankClient
import BankModel
import Contracts
import Foundation

/// A customer's browser on a bank's sign-in page: it opens the address, fills in the form, and follows the bank's redirects until one leads
/// away from the bank.
struct PageVisitor {
    let transport: any HTTPTransport
    /// The bank's address, without a slash at the end.
    let baseURL: String
    /// Sent in a header of each request, so that the journal can distinguish them from the client's.
    let mark: String

    /// The header of the mark.
    static let header = "X-Counterfoil-Browser"
    /// A sign-in may come in two pages; a redirect from one to the other counts, too.
    private static let mostRequests = 10

    /// The end of a visit.
    enum End: Sendable, Hashable {
        /// The browser would open the app with this address.
        case redirected(String)
        /// The customer has closed the page.
        case left
        case failed(PageTrouble, String)
    }

    func visit(_ address: String, _ decision: SignInDecision, user: String, password: String) async -> End {
        guard isAtBank(address) else { return .failed(.foreign, address) }
        var request = HTTPRequest("GET", address)
        for _ in 0..<PageVisitor.mostRequests {
            request.headers["Accept"] = "text/html"
            request.headers[PageVisitor.header] = mark
            let response: HTTPResponse
            do throws(TransportFailure) { response = try await transport.send(request) } catch {
                return .failed(.page, "the sign-in page could not be loaded (\(error.error.rawValue))")
            }
            if (300..<400).contains(response.status), let location = response.headers["Location"] {
                guard let next = resolved(location, from: request.url), isAtBank(next) else { return .redirected(location) }
                request = HTTPRequest("GET", next)
                continue
            }
            let html = String(decoding: response.body, as: UTF8.self)
            guard let form = PageForm(html: html) else {
                let words = PageForm.alert(in: html) ?? "the page has no form"
                return .failed(.page, "the bank shows a page with status \(response.status): \(words)")
            }
            if decision == .abandon { return .left }
            if let alert = form.alert { return .failed(.page, "the bank's page shows: \(alert)") }
            guard let next = resolved(form.action, from: request.url), isAtBank(next) else {
                return .failed(.page, "the form of the bank's page leads to another host")
            }
            let fields = formEncoded(form.filled(user: user, password: password, decision: decision.rawValue))
            request =
                form.isPost
                ? HTTPRequest(
                    "POST", next, headers: ["Content-Type": "application/x-www-form-urlencoded"], body: Array(fields.utf8))
                : HTTPRequest("GET", next.prefix { $0 != "?" } + "?" + fields)
        }
        return .failed(.page, "the sign-in did not end after \(PageVisitor.mostRequests) requests")
    }

    /// Whether the address is one of the bank's: scheme, host and port, then a path. `localhost` and `127.0.0.1` are one host.
    private func isAtBank(_ address: String) -> Bool {
        guard let bank = URL(string: baseURL), let other = URL(string: address), let host = other.host else { return false }
        let names = ["localhost", "127.0.0.1"]
        let isHost = host == bank.host || names.contains(host) && names.contains(bank.host ?? "")
        return isHost && other.scheme == bank.scheme && other.port == bank.port
    }

    /// The address that a page or a redirect names, from where it stands.
    private func resolved(_ address: String, from page: String) -> String? {
        guard let base = URL(string: page) else { return nil }
        return (address.isEmpty ? base : URL(string: address, relativeTo: base))?.absoluteString
    }
}
