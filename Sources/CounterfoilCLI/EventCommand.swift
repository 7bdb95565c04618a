import ArgumentParser
import BankCore
import BankModel
import Contracts

struct EventCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "event", abstract: "Make an event happen: money comes in, a payment settles or returns, a consent is revoked.",
        discussion: """
            Example: counterfoil event payment-in --account ava-gbp --amount 1200.00

            \(BankEvent.Kind.allCases.flatMap { wrapped($0.about, first: "  \($0.rawValue): ", indent: "    ") }.joined(separator: "\n"))

            New money needs --account and --amount. A payment is named by its id (movement-3), the key of its row, or its \
            idempotency key; by default the newest that fits.
            \(steeringExitCodes)
            """)

    @Argument(help: "The event.")
    var event: String

    @Option(help: "Key of the account that receives or pays the money, or that is closed, such as ava-gbp.")
    var account: String?

    @Option(parsing: .unconditional, help: "The amount in major units of the account's currency, such as 1200.00.")
    var amount: String?

    @Option(help: "The payment that ends or returns; by default the newest that fits.")
    var payment: String?

    @Option(help: "Who pays or is paid.")
    var name: String?

    @Option(help: "The reference of new money.")
    var reference: String?

    @Option(help: "Why a payment is rejected or returned, such as AC04.")
    var reason: String?

    @Option(help: "The consent that is revoked; by default the newest that is authorised.")
    var consent: String?

    @Option(name: .customLong("in"), help: "Schedule the event after this time by the session clock, such as 3d.")
    var delay: String?

    @Option(help: "With --in: repeat it at this interval, such as 7d, or `month`.")
    var every: String?

    @OptionGroup var options: AnswerOptions

    mutating func validate() throws {
        if every != nil, delay == nil { throw ValidationError("found --every without --in, expected both") }
        let known = BankEvent.Kind.allCases.map(\.rawValue)
        guard !known.contains(event) else { return }
        throw ValidationError("found the event \(event), expected \(oneOf(known))\(didYouMean(event, among: known))")
    }

    func run() async throws {
        let body = JSON.object(known: [
            "event": .string(event), "account": account.map(JSON.string), "amount": amount.map(JSON.string),
            "payment": payment.map(JSON.string), "name": name.map(JSON.string), "reference": reference.map(JSON.string),
            "reason": reason.map(JSON.string), "consent": consent.map(JSON.string), "in": delay.map(JSON.string),
            "every": every.map(JSON.string),
        ])
        if delay != nil {
            return try await options.call("POST", "/schedule", body) { answer in
                Output.results.line("\(answer.text("event")) at \(answer.text("at"))")
            }
        }
        try await options.call("POST", "/events", body) { answer in
            guard answer["amount"] != nil else { return Output.results.line("\(answer.text("id")) \(answer.text("state"))") }
            let money = "\(answer.text("amount")) \(answer.text("currency"))"
            Output.results.line(
                "\(answer.text("id")) \(answer.text("state")): \(money) from \(answer.text("from")) to \(answer.text("to"))")
        }
    }
}

/// The events that happen later.
struct ScheduleCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "schedule",
        abstract: "List the scheduled events, and those that could not happen.",
        discussion: """
            Example: counterfoil schedule --session mybank
            `counterfoil event … --in 3d` adds one; `life` in bank.yaml has those of every session.
            \(steeringExitCodes)
            """)

    @Flag(help: "Remove all of them.")
    var clear = false

    @OptionGroup var options: AnswerOptions

    func run() async throws {
        guard !clear else {
            try await options.session.served.call("DELETE", "/schedule")
            return
        }
        try await options.call("GET", "/schedule") { answer in
            var table = TextTable("AT", "EVERY", "EVENT", "ACCOUNT", "AMOUNT", "NOTE", shortening: [5])
            for event in answer["events"]?.array ?? [] {
                table.add(
                    event.text("at"), event.text("every"), event.text("event"), event.text("account"), event.text("amount"),
                    event.text("payment"))
            }
            for event in answer["missed"]?.array ?? [] {
                table.add(
                    event.text("at"), "", event.text("event") + event.text("order"), event.text("account"), event.text("amount"),
                    "could not happen: \(event.text("reason"))")
            }
            Output.results.write(table.text(for: .results))
        }
    }
}
