import BankModel
import Faults

/// A step that is done at the bank or to the client's process: its value and its effect. A new one is one element of
/// ``all``.
struct BankStep: Sendable {
    let name: String
    let schema: Schema
    let help: String
    /// Whether it may be in a `together`.
    var isMember = false
    let read: @Sendable (StepReader, Node) -> StepAction?

    static let all: [BankStep] = [
        BankStep(
            name: "release", schema: .nothing, help: "the bank releases the requests that it holds", isMember: true,
            read: { _, _ in .release }),
        BankStep(
            name: "held", schema: .nothing, help: "delays the next member of the same `together` until the bank holds a request",
            isMember: true, read: { $0.held($1) }),
        BankStep(
            "tokens", Format<StepAction.TokenAction>.choice(of: StepAction.TokenAction.self),
            "what the bank does to all tokens of the session"
        ) { .tokens($0) },
        BankStep(
            "happen", Format<BankEvent>.object(BankEvent.schema, read: { fields, _ in BankEvent(fields) }),
            "an event happens at the bank, without a request of the client; by default new money is for the account of `transactions`"
        ) { .happen($0) },
        BankStep(
            name: "webhook", schema: StepReader.webhookSchema,
            help:
                "`register`: the bank sends webhooks to the address that the last step `events` showed, and the next step `events` "
                + "passes on the secret; `rotate`: the bank replaces the secret; any other value: a fault of the next delivery",
            read: { $0.webhook($1) }),
        BankStep(
            "challenge", Format<ChallengeDecision>.choice(of: ChallengeDecision.self),
            "the customer approves or denies the latest challenge in the bank's own app", isMember: true
        ) { .challenge($0) },
        BankStep(name: "restart", schema: .nothing, help: "the client's process is killed and restarted", read: { _, _ in .restart }),
        BankStep(
            name: "kill", schema: .object(StepReader.killSchema), help: "the client is killed while the bank holds its request",
            read: { $0.kill($1) }),
        BankStep(
            name: "disk", schema: StepReader.diskSchema,
            help:
                "`damage`: kills the client, damages its files and restarts it; otherwise: which operations on its files fail from here on",
            isMember: true, read: { $0.disk($1) }),
        BankStep(
            name: "browser", schema: StepReader.browserSchema,
            help: "the customer opens the address of the last `authorize_begin`, and approves, denies, cancels, or closes the page",
            read: { $0.browser($1) }),
        BankStep(
            name: "redirect", schema: .object(StepReader.redirectSchema),
            help: "changes the address to which the page redirected, before `authorize_finish` opens the app with it",
            read: { $0.redirect($1) }),
        BankStep("outage", .text("the name of an outage, or stop"), "starts the outage of this name; `stop` ends the running outage") {
            .outage($0 == "stop" ? nil : $0)
        },
        BankStep(
            "connections", Format<RuleSelector.Temperature>.choice(of: RuleSelector.Temperature.self),
            "`cold`: the bank closes all connections; `warm`: one connection is open and has carried a request"
        ) { .connections($0) },
        BankStep("advance", .duration, "moves the session clock ahead by this time") { .advance($0) },
        BankStep(
            "device_clock", .signedDuration,
            "sets how far the device's clock is ahead of the bank's from this step on, or with a minus, how far behind; the client needs "
                + "the feature `clock`"
        ) { .deviceClock($0) },
        BankStep("wait", .duration, "waits for this time, in real time", isMember: true) { .wait($0) },
        BankStep(
            name: "cancel", schema: .text(TextSchema("a step's number or label")),
            help: "the user gives up waiting for a step of the same `together`", isMember: true, read: { $0.cancel($1) }),
    ]
}

extension BankStep {
    /// A step with one value after its name.
    fileprivate init<Value>(
        _ name: String, _ format: Format<Value>, _ help: String, isMember: Bool = false, action: @escaping @Sendable (Value) -> StepAction
    ) {
        self.init(
            name: name, schema: format.schema, help: help, isMember: isMember,
            read: { reader, node in format.read(node, reader.complaints).map(action) })
    }
}

/// The argument `raw_amount`: an amount as a user types it, beside the `amount` that it means.
///
/// A client that ignores it pays `amount`, so both must mean the same; only then is one judged like the other.
enum RawAmount {
    static let argument = "raw_amount"

    /// Complains of a typed amount in a case without a locale, and of one whose digits are not those of `amount`.
    static func check(_ outline: StepOutline, _ given: Given, _ complaints: Complaints) {
        for step in outline.all {
            guard let raw = step.action.argument(argument), let amount = step.action.argument("amount") else { continue }
            if given.locale == nil {
                complaints.add(
                    found: "`\(argument)` without a locale", expected: "`given: {locale: …}`, in whose format the amount is typed",
                    at: step.position)
            }
            if !hasDigits(raw, of: amount) {
                complaints.add(
                    found: "the \(argument) \"\(raw)\" beside the amount \"\(amount)\"", expected: "the same digits in both",
                    at: step.position
                )
            }
        }
    }

    /// Whether both texts have the same digits, in any script; zeros at the end of either do not count.
    static func hasDigits(_ raw: String, of amount: String) -> Bool {
        let (typed, meant) = (digits(raw), digits(amount))
        return !typed.isEmpty && withoutZeros(typed) == withoutZeros(meant)
    }

    private static func digits(_ text: String) -> [Int] {
        text.unicodeScalars.compactMap { scalar in
            scalar.properties.numericType == .decimal ? scalar.properties.numericValue.map { Int($0) } : nil
        }
    }

    private static func withoutZeros(_ digits: [Int]) -> [Int] { Array(digits.reversed().drop { $0 == 0 }.reversed()) }
}
