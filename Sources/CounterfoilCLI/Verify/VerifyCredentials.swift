import ArgumentParser
import BankModel
import Foundation
import Platform
import ProviderCheck

/// As whom a provider is asked; secrets come from files or the environment, never from the command line, which others can see.
struct VerifyCredentials: ParsableArguments {
    @Option(help: "Sign in first with the bank's sign-in operation and this name.")
    var login: String?

    @Option(help: "File with the password of --login; by default COUNTERFOIL_PROVIDER_PASSWORD.")
    var passwordFile: String?

    @Option(help: "File with an access token; by default COUNTERFOIL_PROVIDER_TOKEN.")
    var tokenFile: String?

    func validate() throws {
        guard login == nil || tokenFile == nil else { throw ValidationError("found --login and --token-file, expected one of them") }
        guard passwordFile == nil || login != nil else { throw ValidationError("found --password-file without --login") }
    }

    /// The credentials that were given; nil if none were.
    ///
    /// - Throws: ``UsageError`` that names the file that cannot be read; its content is never shown.
    func read() throws -> ProviderOptions.Credentials? {
        if let login {
            guard let password = try secret(file: passwordFile, variable: "COUNTERFOIL_PROVIDER_PASSWORD") else {
                throw ValidationError("found --login without a password, expected --password-file or COUNTERFOIL_PROVIDER_PASSWORD")
            }
            return .login(user: login, password: password)
        }
        return try secret(file: tokenFile, variable: "COUNTERFOIL_PROVIDER_TOKEN").map { .token($0) }
    }

    private func secret(file: String?, variable: String) throws -> String? {
        let (text, location) =
            if let file { (try contents(of: file), file) } else { (ProcessInfo.processInfo.environment[variable], variable) }
        guard let text else { return nil }
        let secret = text.trimmingCharacters(in: .whitespacesAndNewlines)
        guard !secret.isEmpty, secret.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F }) else {
            throw UsageError("\(location) is not a single line, expected one line with the secret")
        }
        return secret
    }

    private func contents(of file: String) throws -> String? {
        do throws(UnreadFile) {
            return try String(ofFile: Disk.bytes(named: file, .settings))
        } catch {
            throw UsageError("cannot read \(file): \(error.message(expected: "one line with the secret"))")
        }
    }
}

/// The permission to write at a provider, and the accounts of the payment.
struct VerifyPayment: ParsableArguments {
    @Flag(help: "Allow writes at the provider: a second sign-in and its revocation, the payment, and with --proxy all that clients send.")
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
