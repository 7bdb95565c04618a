import ArgumentParser
import BankModel
import ProviderCheck

/// What may be changed at a provider, and who pays for it.
struct VerifyPayment: ParsableArguments {
    @Flag(help: "Allow what changes something at the provider: a sign-in that is revoked, and the payment.")
    var allowWrites = false

    @Option(help: "The account that pays, as the bank names it.")
    var from: String?

    @Option(help: "Who is paid, as the bank names them.")
    var to: String?

    @Option(help: "How much is paid, in major units.")
    var amount = "0.01"

    @Option(help: "The account's currency; by default that of the stub's payments.")
    var currency: String?

    func validate() throws {
        guard (from == nil) == (to == nil) else { throw ValidationError("--from and --to go together") }
        guard from == nil || allowWrites else { throw ValidationError("found --from without --allow-writes: a payment is a write") }
    }

    /// The payment that is wanted; nil if none is.
    ///
    /// - Parameter defaults: the bank's own payment.
    func wish(defaults: JSON?) throws -> ProviderOptions.PaymentWish? {
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
            throw ValidationError("found --amount \(amount), expected more than nothing")
        }
        return ProviderOptions.PaymentWish(from: from, to: to, amount: money)
    }
}
