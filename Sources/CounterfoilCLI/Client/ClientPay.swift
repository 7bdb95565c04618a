import ArgumentParser
import BankClient
import BankModel
import ClientDriver
import Foundation

struct ClientPay: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pay", abstract: "Make a payment; repeated with the same --intent, it never pays twice.",
        discussion: "Example: counterfoil client pay 10.00 --bank counterfoil --from ACCOUNT --to PAYEE --currency GBP")

    @OptionGroup var options: ClientOptions

    @Argument(help: "The amount in major units, such as 10.00.")
    var amount: String

    @Option(help: "The account that pays.")
    var from: String

    @Option(help: "The recipient: a payee, an account or a savings goal.")
    var to: String

    @Option(help: "ISO 4217 code of the currency.")
    var currency = "GBP"

    @Option(help: "Name of the payment order; a repeated command with the same name never pays twice. By default a new name.")
    var intent: String?

    func validate() throws { _ = try order() }

    func run() async throws {
        let order = try order()
        let intent = intent ?? UUID().uuidString.lowercased()
        try await options.run { client throws(ClientFailure) in
            _ = try await options.signIn(client)
            let receipt = try await options.withRetryHint(intent) { () throws(ClientFailure) in try await client.pay(intent, order) }
            return Shown(view: ViewJSON.payment(receipt), text: "\(order.amount) \(receipt.state.rawValue), payment \(receipt.id ?? "-")\n")
        }
    }

    private func order() throws -> PaymentOrder {
        guard let currency = Currency(currency) else { throw ValidationError("found --currency \(currency), expected a code such as GBP") }
        do throws(MoneyError) {
            return PaymentOrder(from: from, to: to, amount: try Money(major: amount, currency: currency))
        } catch {
            throw ValidationError("\(error)")
        }
    }
}
