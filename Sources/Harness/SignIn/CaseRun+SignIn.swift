import BankClient
import BankModel
import Contracts
import DriverProtocol
import Foundation

/// A case's sign-in on the bank's page, as it goes from the client to the page and back.
struct PageSignIn {
    /// The address that the client has made.
    var address: String?
    /// The address that the client is to be opened with.
    var redirect: String?
    /// Who has approved.
    var customer: String?
    /// The payments that the customer has authorised, by the steps of the visits.
    var payments: [Int: [String]] = [:]
    /// Whether a page did not come to its end: further steps would show nothing.
    var hasFailed = false
    /// Marks the requests of the browser; no client can know it.
    private let nonce = UUID().uuidString.prefix(8).lowercased()

    /// The mark of the requests of a step.
    func mark(of n: Int) -> String { "\(nonce)-\(n)" }

    /// The browser's requests in a journal, by the steps that made them.
    func visits(in journal: [JournalEntry]) -> [Evidence.PageVisit] {
        let marked = journal.compactMap { entry -> (step: Int, seq: Int)? in
            let mark = entry.requestHeaders.value(of: PageVisitor.header)
            guard let mark, mark.hasPrefix("\(nonce)-"), let step = Int(mark.dropFirst(nonce.count + 1)) else { return nil }
            return (step, entry.seq)
        }
        return Dictionary(grouping: marked) { $0.step }.sorted { $0.key < $1.key }.map { step, entries in
            Evidence.PageVisit(step: step, exchanges: entries.map(\.seq).sorted(), movements: payments[step] ?? [])
        }
    }
}

extension CaseRun {
    /// The customer opens the address of the last `authorize_begin`, and decides.
    func perform(_ browser: StepAction.Browser, _ n: Int) async {
        signIn.redirect = nil
        guard let address = signIn.address else {
            signIn.hasFailed = true
            return note(n, .skipped)
        }
        let login = browser.user ?? instance.customer?.login ?? ""
        let password = instance.bank.customers.first { $0.login == login }?.password ?? ""
        let transport = CurlTransport(
            limits: TransportLimits(redirects: 0), caFile: instance.given.wireProtocol == .h1 ? nil : caFile,
            userAgent: "Mozilla/5.0 (counterfoil)")
        let visitor = PageVisitor(transport: transport, baseURL: session.baseURL, mark: signIn.mark(of: n))
        let began = monotonicNanoseconds()
        let before = Set(session.movements().map(\.id))
        let end = await visitor.visit(address, browser.decision, user: login, password: password)
        // One with a key is that of a request.
        signIn.payments[n] = session.movements().filter { $0.key == nil && !before.contains($0.id) }.map(\.id)
        switch end {
        case .redirected(let redirect):
            (signIn.redirect, signIn.customer) = (redirect, browser.decision == .approve ? login : nil)
            note(n, .done, started: began)
        case .left: note(n, .done, started: began)
        case .failed(let trouble, let reason):
            signIn.hasFailed = true
            note(n, .error(trouble.rawValue, detail: reason), started: began)
        }
    }

    /// Records who is signed in after a step that succeeded.
    func noteSignIn(_ n: Int, by operation: DriverOperation, _ view: JSON, _ arguments: JSON) {
        switch operation {
        case .login: signedIn = arguments["user"]?.string
        case .authorizeBegin: signIn.address = view["url"]?.string
        case .authorizeFinish:
            evidence.approvals[n] = signIn.customer
            signedIn = signIn.customer
        default: break
        }
    }
}
