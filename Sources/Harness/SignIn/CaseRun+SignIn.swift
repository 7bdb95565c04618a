import BankClient
import BankModel
import Contracts
import DriverProtocol
import Foundation

/// Who is signed in in a case, and the sign-in on the bank's page, as it goes from the client to the page and back.
struct CaseSignIn {
    /// The customer of the last sign-in that succeeded, if it named one; nil means the case's.
    private(set) var customer: String?
    /// The address that the client has made.
    var address: String?
    /// The address that the client is to be opened with.
    var redirect: String?
    /// Who has approved.
    var approver: String?
    /// Those whose approval was handed to the client, by the steps that did it.
    private(set) var approvals: [Int: String] = [:]
    /// The payments that the customer has authorised, by the steps of the visits.
    var payments: [Int: [String]] = [:]
    /// Whether a page did not come to its end: further steps would show nothing.
    var hasFailed = false
    /// Marks the requests of the browser; no client can know it.
    private let nonce = UUID().uuidString.prefix(8).lowercased()

    /// Follows a step of the client that succeeded.
    mutating func note(_ n: Int, _ operation: DriverOperation, _ view: JSON, _ arguments: JSON) {
        switch operation {
        case .login: customer = arguments["user"]?.string
        case .authorizeBegin: address = view["url"]?.string
        case .authorizeFinish:
            approvals[n] = approver
            customer = approver
        default: break
        }
    }

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
            (signIn.redirect, signIn.approver) = (redirect, browser.decision == .approve ? login : nil)
            note(n, .done, started: began)
        case .left: note(n, .done, started: began)
        case .failed(let trouble, let reason):
            signIn.hasFailed = true
            note(n, .error(trouble.rawValue, detail: reason), started: began)
        }
    }
}
