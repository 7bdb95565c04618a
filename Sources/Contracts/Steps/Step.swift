package import BankModel
package import DriverProtocol
package import Faults

/// A step with the number by which expectations name it.
package struct NumberedStep: Sendable {
    package var n: Int
    package var action: StepAction
    package var position: SourcePosition
    /// A name for it, by which expectations may speak of it instead of its number.
    package var label: String?
    /// The process of the app that it is for: 1 for the app, 2 for a widget or an extension beside it.
    package var process: Int

    package init(n: Int, _ action: StepAction, at position: SourcePosition = SourcePosition(), label: String? = nil, process: Int = 1) {
        self.n = n
        self.action = action
        self.position = position
        self.label = label
        self.process = process
    }

    /// The step, or in its stead the members if it is a `together`.
    package var flattened: [NumberedStep] {
        if case .together(let members) = action { members } else { [self] }
    }
}

/// One thing that is done in a case.
package enum StepAction: Sendable {
    /// The client is asked for something.
    case operation(DriverOperation, [Argument])
    /// A rule is set from here on.
    case fault(Rule)
    /// All rules that the case has set are removed: the bank works normally again.
    case endFaults
    /// The bank releases every held exchange.
    case release
    /// Waits until the bank holds an exchange.
    case held
    case tokens(TokenAction)
    /// Something happens at the bank without a request of the client.
    case happen(BankEvent)
    /// The webhook of the client's receiver is registered or changed.
    case webhook(WebhookAction)
    /// The customer ends the latest challenge in the bank's own app.
    case challenge(ChallengeDecision)
    /// The plan of that name begins; nil: what runs ends.
    case outage(String?)
    /// The client's process is killed and restarted.
    case restart
    /// The client is asked for something and killed while the bank holds its request; then it is restarted.
    case kill(Kill)
    /// The client is notified that the step of that number is cancelled.
    case cancel(Int)
    /// The client is killed, what it keeps on disk is damaged, and it is restarted.
    case damageDisk
    /// From here on reads or writes of the client's files fail, or succeed again.
    case disk(DiskFailure)
    /// The case's customer opens the address of the last `authorize_begin` and decides there.
    case browser(Browser)
    /// The address that the page has led to is changed before the app is opened with it.
    case redirect(RedirectChange)
    case connections(RuleSelector.Temperature)
    /// The session's virtual clock.
    case advance(Duration)
    /// The device's clock is that far ahead of the bank's from here on; behind it if negative.
    case deviceClock(Duration)
    /// Real time.
    case wait(Duration)
    /// Members are started in order, each once the bank has read or held the one before.
    case together([NumberedStep])

    /// An argument of an operation, as a text.
    package struct Argument: Sendable, Hashable {
        package var name: String
        package var value: String

        package init(_ name: String, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    /// The change of all tokens of the session.
    package enum TokenAction: String, Sendable, CaseIterable {
        case expire, revoke, downscope
    }

    /// The operation, if the client is asked for one whose result is waited for.
    package var operation: DriverOperation? { if case .operation(let operation, _) = self { operation } else { nil } }

    /// The operation that the client is asked for, even if it is killed in the middle.
    package var asked: DriverOperation? {
        switch self {
        case .operation(let operation, _): operation
        case .kill(let kill): kill.operation
        default: nil
        }
    }

    /// The intent that an operation belongs to.
    package var intent: String? { argument("intent") }

    /// An operation's argument of that name.
    package func argument(_ name: String) -> String? {
        switch self {
        case .operation(_, let arguments): arguments.first { $0.name == name }?.value
        case .kill(let kill): kill.arguments.first { $0.name == name }?.value
        default: nil
        }
    }

    var isEndOfFaults: Bool { if case .endFaults = self { true } else { false } }

    /// Whether nobody else may use the client's process: it is ended, or its file access fails.
    package var needsOwnProcess: Bool { if case .disk = self { true } else { endsProcess } }

    /// Whether the client's process is ended by it.
    package var endsProcess: Bool {
        switch self {
        case .restart, .kill, .damageDisk: true
        default: false
        }
    }
}

extension StepAction: CustomStringConvertible {
    /// The step as a user would write it.
    package var description: String {
        switch self {
        case .operation(let operation, let arguments):
            ([operation.rawValue] + arguments.map { "\($0.name)=\($0.value)" }).joined(separator: " ")
        case .fault(let rule): "fault \(clipped(rule.json.text, to: 400))"
        case .endFaults: "fault stop"
        case .release: "release"
        case .held: "held"
        case .outage(let name): "outage \(name ?? "stop")"
        case .tokens(let action): "tokens \(action.rawValue)"
        case .happen(let event):
            "happen "
                + event.members.members.map { $0.key == "event" ? $0.value.plainText : "\($0.key)=\($0.value.plainText)" }.joined(
                    separator: " ")
        case .webhook(let action): "webhook \(action)"
        case .challenge(let decision): "challenge \(decision.rawValue)"
        case .restart: "restart"
        case .kill(let kill): "kill during \(StepAction.operation(kill.operation, kill.arguments)) at \(kill.at.rawValue)"
        case .cancel(let n): "cancel \(n)"
        case .damageDisk: "disk damage"
        case .disk(let failure): "disk refuses \(failure)"
        case .browser(let browser): "browser \(browser)"
        case .redirect(let change): "redirect \(change)"
        case .connections(let temperature): "connections \(temperature.rawValue)"
        case .advance(let duration): "advance \(duration.shortText)"
        case .deviceClock(let ahead): "device_clock \(ahead.shortText)"
        case .wait(let duration): "wait \(duration.shortText)"
        case .together(let members): "together " + members.map { "\($0.n)" }.joined(separator: ", ")
        }
    }
}
