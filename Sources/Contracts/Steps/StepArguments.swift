import BankModel
import DriverProtocol

/// The arguments that a case can give to an operation of the client.
extension DriverOperation {
    /// The arguments, the required ones first and declared as such.
    var arguments: ObjectSchema { DriverOperation.schemas[self] ?? schema }

    private static let schemas = Dictionary(uniqueKeysWithValues: allCases.map { ($0, $0.schema) })

    private var schema: ObjectSchema {
        ObjectSchema("the arguments of `\(rawValue)`", named: "\(rawValue)-arguments", about, fields: argumentFields)
    }

    /// The operation in a phrase.
    var about: String {
        switch self {
        case .login: "Signs in, by default as the case's customer."
        case .logout: "Signs out."
        case .status: "Reports whether a user is signed in."
        case .accounts: "Shows the accounts."
        case .balance: "Shows the balance of an account."
        case .transactions: "Shows the transactions of an account."
        case .atms: "Shows the cash machines."
        case .image: "Shows an image."
        case .goals: "Shows the savings goals."
        case .pay: "Executes a payment order."
        case .resume: "Resumes a payment order that is unfinished."
        case .roundUp: "Rounds up the amounts spent, and moves the difference to a savings goal."
        case .paymentStatus: "Asks the bank for the state of a payment, and shows it."
        case .authorizeBegin:
            "Shows the address of the bank's page that the app would open: for a sign-in, or for a payment that waits there."
        case .authorizeFinish: "Opens the app with the address to which the bank's page redirected."
        case .events: "Shows the address of the client's receiver of webhooks, and the events that it has acted on."
        case .quote: "Asks the bank for the rate of a payment in another currency, and shows it."
        case .watch: "Shows an account while the bank's stream of events keeps it up to date."
        case .challengeAnswer: "Confirms a request that the bank has challenged, by a code, in another app or on the bank's page."
        case .consents: "Shows the consents that the customer has given."
        case .consentRevoke: "Revokes a consent in the app."
        }
    }

    private var argumentFields: [FieldSchema] {
        func field(_ key: String, isRequired: Bool = false, _ type: String, _ help: String, pattern: String? = nil) -> FieldSchema {
            FieldSchema(key: key, schema: .text(TextSchema(type, pattern: pattern)), isRequired: isRequired, standard: nil, help: help)
        }
        let account = field("account", "an account's id", "the account; by default the bank's first")
        let intent = field("intent", isRequired: true, "a name", "the payment order; repeating it is a retry, not another payment")
        switch self {
        case .login:
            return [
                field("user", "a user's name", "the customer who signs in; `$other` is a customer other than the case's"),
                field("password", "a password", "a password instead of the right one"),
            ]
        case .logout, .status, .accounts, .atms, .authorizeBegin, .consents: return []
        case .authorizeFinish:
            return [field("url", "an address", "an address instead of the one to which the last step `browser` led")]
        case .balance, .goals, .watch: return [account]
        case .transactions:
            return [
                account, field("from", "an instant or a day", "the first instant or day"),
                field("to", "an instant or a day", "the last instant or day"),
            ]
        case .image: return [field("path", isRequired: true, "a path", "the path of the image at the bank")]
        case .pay:
            return [
                intent, field("from", "an account's id", "the paying account"), field("to", "a payee's id", "the payee"),
                field(
                    "amount", isRequired: true, "an amount in quotes, such as `\"10.00\"`", "the amount, in major units",
                    pattern: "[\\s\\S]+"),
                field("currency", "a currency of ISO 4217", "the currency; by default the account's"),
                field(
                    "raw_amount", "an amount in quotes, such as `\"10,00\"`",
                    "the amount as the user typed it, in the format of the locale",
                    pattern: "[\\s\\S]+"),
            ]
        case .resume: return [intent]
        case .paymentStatus:
            return [
                intent,
                FieldSchema(
                    key: "until", schema: .words(["final"]), isRequired: false, standard: nil,
                    help: "`final`: asks repeatedly, until the payment has ended or the client stops asking"),
            ]
        case .events:
            return [
                FieldSchema(
                    key: "handling", schema: .words(["held"]), isRequired: false, standard: nil,
                    help:
                        "`held`: the receiver processes no event, as if its database were slow, until the next step `events` without "
                        + "`handling`"
                )
            ]
        case .quote:
            return [
                intent,
                field(
                    "amount", isRequired: true, "an amount in quotes, such as `\"10.00\"`", "the amount to pay, in major units",
                    pattern: "[\\s\\S]+"),
                field("currency", "a currency of ISO 4217", "the currency of the amount"),
                field("target", isRequired: true, "a currency of ISO 4217", "the payee's currency"),
            ]
        case .challengeAnswer:
            return [
                field("intent", "a name", "the challenged payment order; without it, the challenged request is a read"),
                field(
                    "code", "a code in quotes", "the code that the user types; without it the client asks the bank for the user's decision"),
            ]
        case .consentRevoke: return [field("consent", "a consent's id", "the consent; by default the newest that is authorised")]
        case .roundUp: return [intent, account, field("goal", "a savings goal's id", "the savings goal; by default the bank's first")]
        }
    }
}
