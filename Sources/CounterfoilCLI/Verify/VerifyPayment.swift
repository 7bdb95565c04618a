import ArgumentParser
import BankModel
import ProviderCheck

/// The permission to write at a provider, and the accounts of the payment.
struct VerifyPayment: ParsableArguments {
    @Flag(help: "Allow writes at the provider: a second sign-in and its revocation, and the payment.")
    var allowWrites = false

    @Option(help: "The account that pays, as the bank names it.")
    var from: String?

    @Option(help: "The recipient, as the bank names it.")
    var to: String?

    @Option(help: "The amount in major units.")
    var amount = "0.01"

    @Option(help: "The account's currency; by default that of the stub's payments.")
    var currency: String?

    func validate() throws {
        guard (from == nil) == (to == nil) else { throw ValidationError("found one of --from and --to, expected both") }
        guard from == nil || allowWrites else { throw ValidationError("found --from without --allow-writes: a payment is a write") }
    }

    /// The payment that is wanted; nil if none is.
    ///
    /// - Parameter defaults: the bank's own payment.
    func order(defaults: JSON?) throws -> ProviderOptions.PaymentOrder? {
        guard let from, let to else { return nil }
        let code = currency ?? defaults?["currency"]?.string ?? ""
        guard let known = Currency(code) else {
            throw ValidationError("found the currency \"\(code)\", expected an ISO 4217 code such as --currency GBP")
        }
        let money: Money
        do throws(MoneyError) { money = try Money(major: amount, currency: known) } catch {
            throw ValidationError("--amount: \(error)")
        }
        guard money.minorUnits > 0, money.minorUnits < Int64.max else {
            throw ValidationError("found --amount \(amount), expected an amount above 0")
        }
        return ProviderOptions.PaymentOrder(from: from, to: to, amount: money)
    }
}
