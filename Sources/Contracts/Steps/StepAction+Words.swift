import BankModel
import DriverProtocol
import Faults

extension StepAction {
    /// The step in plain words: `the client pays (payment order A, amount 10.00)`.
    var words: String {
        switch self {
        case .operation(let operation, let arguments): StepAction.words(operation, arguments)
        case .fault(let rule): rule.words
        case .release: "the bank releases the requests that it holds"
        case .held: "the harness waits until the bank holds a request"
        case .outage(let name?): "the outage `\(name)` begins"
        case .outage(nil): "the outage ends"
        case .tokens(let action):
            "the bank makes all tokens \(["expire": "expired", "revoke": "revoked"][action.rawValue] ?? "\(action.rawValue)d")"
        case .restart: "the client's process is killed and restarted"
        case .kill(let kill):
            "\(StepAction.words(kill.operation, kill.arguments)), and is killed while the bank holds its "
                + [.connect: "connection", .request: "request before executing it", .commit: "request after executing it"][
                    kill.at, default: ""]
        case .browser(let browser): browser.words
        case .redirect(let change): change.words
        case .happen(let event): "the bank: \(event.kind.about)" + (event.amount.map { " (amount \($0))" } ?? "")
        case .webhook(let action): action.words
        case .challenge(.approve): "the customer approves the challenge in the bank's own app"
        case .challenge(.deny): "the customer denies the challenge in the bank's own app"
        case .cancel(let n): "the customer cancels step \(n)"
        case .damageDisk: "the client is killed, its files are damaged, and it is restarted"
        case .disk(let failure): failure.words
        case .connections(.cold): "the bank closes all connections, so that the next request opens one"
        case .connections(.warm): "a connection is open and has carried a request"
        case .advance(let duration): "the bank's clock advances by \(duration.shortText)"
        case .deviceClock(.zero): "the device's clock is set to the bank's"
        case .deviceClock(let ahead):
            ahead < .zero
                ? "the device's clock is set \((.zero - ahead).shortText) behind the bank's"
                : "the device's clock is set \(ahead.shortText) ahead of the bank's"
        case .wait(let duration): "the harness waits \(duration.shortText)"
        default: description
        }
    }

    private static func words(_ operation: DriverOperation, _ arguments: [Argument]) -> String {
        let list = arguments.map { "\($0.name == "intent" ? "payment order" : $0.name) \($0.value)" }.joined(separator: ", ")
        return "the client \(verbs[operation.rawValue] ?? "does `\(operation.rawValue)`")" + (list.isEmpty ? "" : " (\(list))")
    }

    /// By the operation's name; those that are not here are named.
    private static let verbs = [
        "login": "signs in", "logout": "signs out", "status": "reports whether it is signed in", "accounts": "shows the accounts",
        "balance": "shows the balance", "transactions": "shows the transactions", "atms": "shows the cash machines",
        "image": "shows an image", "goals": "shows the savings goals", "pay": "pays", "resume": "resumes a payment",
        "round_up": "rounds up", "payment_status": "shows the state of a payment", "authorize_begin": "begins a sign-in on the bank's page",
        "authorize_finish": "is opened with the address that the page led to",
        "events": "shows the events that its receiver has acted on", "challenge_answer": "confirms a challenged request",
        "consents": "shows the consents", "consent_revoke": "revokes a consent",
        "quote": "asks for the rate of a payment", "watch": "watches an account",
    ]
}

extension NumberedStep {
    /// The step as a user would write it, with its process if that is not the app itself.
    var text: String { "\(action)" + (process == 1 ? "" : " in process \(process)") }

    /// The step in plain words, with its process likewise.
    var words: String { action.words + (process == 1 ? "" : ", in process \(process) of the app") }
}

extension Rule {
    /// `fault lose-reply (by close): …; for role pay, attempt 1; times 1`
    fileprivate var words: String {
        let fault = type(of: setting.fault)
        let settings = setting.fault.settings.object?.members.map { "\($0.key) \(ContractSentences.text($0.value))" } ?? []
        var parts = ["fault \(kind)" + (settings.isEmpty ? "" : " (\(settings.joined(separator: ", ")))") + ": \(fault.about)"]
        if let on = json["on"] {
            parts.append("for \(ContractSentences.members(on).map { $0.replacing(": ", with: " ") }.joined(separator: ", "))")
        }
        let counts = json.object?.members.filter { !["fault", "on"].contains($0.key) } ?? []
        if !counts.isEmpty { parts.append(counts.map { "\($0.key) \(ContractSentences.text($0.value))" }.joined(separator: ", ")) }
        return parts.joined(separator: "; ")
    }
}
