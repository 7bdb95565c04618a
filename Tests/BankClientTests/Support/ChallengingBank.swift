import BankClient
import BankModel
import Platform

/// What the customer has decided on the page of the bank.
final class PageDecision: Sendable {
    private let word = Locked("pending")

    var state: String {
        get { word.withLock { $0 } }
        set { word.withLock { $0 = newValue } }
    }
}

/// The bank `counterfoil` with challenges that the customer confirms on its page: `c1` of each payment, and `r1` of each list of rows.
extension Bank {
    static let home = "counterfoil-app:/callback"
    private static let discovery = #"""
        {"issuer":"http://bank","authorization_endpoint":"http://bank/oauth/authorize","token_endpoint":"http://bank/oauth/token"}
        """#

    /// - Parameter answer: the bank's response to a request if it is another one; nil for the usual response.
    static func challenging(
        _ decision: PageDecision, _ answer: @escaping @Sendable (HTTPRequest) -> ScriptedTransport.Outcome? = { _ in nil }
    ) async throws -> Bank {
        try await Bank { request, _ in
            if let other = answer(request) { return other }
            if request.url.hasSuffix("/openid-configuration") { return .json(200, Bank.discovery) }
            if request.url.hasSuffix("/oauth/token") { return .problem(500, "internal-error") }
            if request.url.contains("/v1/challenges/") { return .json(200, #"{"state":"\#(decision.state)"}"#) }
            let isRead = request.url.contains("/transactions")
            if decision.state == "approved" { return isRead ? .json(200, #"{"transactions":[]}"#) : .paid }
            return .json(403, Bank.challenge(isRead ? "r1" : "c1"))
        }
    }

    private static func challenge(_ id: String) -> String {
        #"""
        {"type":"urn:counterfoil:problem:step-up","challenge":"\#(id)","challenge_kind":"redirect","poll_after":0.5,"challenge_url":"http://bank/oauth/authorize?challenge=\#(id)"}
        """#
    }

    /// The address that the page of a challenge opens the app with.
    static func returning(from page: String) -> String {
        let visit = FormFields(ofAddress: page)
        return "\(Bank.home)?challenge=\(visit["challenge"] ?? "")&state=\(visit["state"] ?? "")&iss=http%3A%2F%2Fbank"
    }

    /// The parameters of the page that the app opens.
    func openedPage() async throws -> FormFields { FormFields(ofAddress: try await client.beginSignIn()) }
}
