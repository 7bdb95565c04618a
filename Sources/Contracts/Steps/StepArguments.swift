import BankModel
import DriverProtocol

/// The arguments that a case can give to an operation of the client.
extension DriverOperation {
    /// The arguments, those that must be there first declared as such.
    var arguments: ObjectSchema { DriverOperation.schemas[self] ?? schema }

    private static let schemas = Dictionary(uniqueKeysWithValues: allCases.map { ($0, $0.schema) })

    private var schema: ObjectSchema {
        ObjectSchema("the arguments of `\(rawValue)`", named: "\(rawValue)-arguments", about, fields: argumentFields)
    }

    /// The operation in a phrase.
    var about: String {
        switch self {
        case .login: "Signs in; as the case's customer if no user is named."
        case .logout: "Signs out."
        case .status: "Reports whether somebody is signed in."
        case .accounts: "Shows the accounts."
        case .balance: "Shows the balance of an account."
        case .transactions: "Shows the transactions of an account."
        case .atms: "Shows the cash machines."
        case .image: "Shows an image."
        case .goals: "Shows the savings goals."
        case .pay: "Pays for an intent."
        case .resume: "Takes up again what an intent has left unfinished."
        case .roundUp: "Rounds up what was spent, into a savings goal."
        case .paymentStatus: "Asks the bank how a payment stands, and shows its state."
        case .authorizeBegin: "Begins a sign-in on the bank's page: shows the address that the app would open."
        case .authorizeFinish: "Opens the app with the address that the sign-in page has led to."
        case .events: "Shows the address of the client's receiver of webhooks, and the events that it has acted on."
        case .quote: "Asks the bank for the rate of a payment in another currency, and shows it."
        case .watch: "Shows an account while the bank's stream of events keeps it up to date."
        case .challengeAnswer: "Confirms a request that the bank has challenged, by a code or in another app."
        case .consents: "Shows the consents that the customer has given."
        case .consentRevoke: "Ends a consent in the app."
        }
    }

    private var argumentFields: [FieldSchema] {
        func field(_ key: String, isRequired: Bool = false, _ type: String, _ help: String, pattern: String? = nil) -> FieldSchema {
            FieldSchema(key: key, schema: .text(TextSchema(type, pattern: pattern)), isRequired: isRequired, standard: nil, help: help)
        }
        let account = field("account", "an account's id", "the bank's first if it is absent")
        let intent = field(
            "intent", isRequired: true, "a name", "the payment order that it belongs to: repeating it is a retry, not another payment")
        switch self {
        case .login:
            return [
                field("user", "a user's name", "who signs in; `$other` is another customer than the case's"),
                field("password", "a password", "another than the right one"),
            ]
        case .logout, .status, .accounts, .atms, .authorizeBegin, .consents: return []
        case .authorizeFinish:
            return [field("url", "an address", "another than the one to which the last step `browser` has led")]
        case .balance, .goals, .watch: return [account]
        case .transactions:
            return [account, field("from", "an instant or a day", "the first"), field("to", "an instant or a day", "the last")]
        case .image: return [field("path", isRequired: true, "a path", "of the image, at the bank")]
        case .pay:
            return [
                intent, field("from", "an account's id", "whose money it is"), field("to", "a payee's id", "who gets it"),
                field("amount", isRequired: true, "an amount in quotes, such as `\"10.00\"`", "how much", pattern: "[\\s\\S]+"),
                field("currency", "a currency of ISO 4217", "the account's own if it is absent"),
                field(
                    "raw_amount", "an amount in quotes, such as `\"10,00\"`", "what the user typed for `amount`, as the locale writes it",
                    pattern: "[\\s\\S]+"),
            ]
        case .resume: return [intent]
        case .paymentStatus:
            return [
                intent,
                FieldSchema(
                    key: "until", schema: .words(["final"]), isRequired: false, standard: nil,
                    help: "`final`: asks again and again until the payment has ended, or for as long as the client does so"),
            ]
        case .events:
            return [
                FieldSchema(
                    key: "handling", schema: .words(["held"]), isRequired: false, standard: nil,
                    help: "`held`: the receiver acts on nothing, as if its database was slow, until the next step `events` without it")
            ]
        case .quote:
            return [
                intent,
                field("amount", isRequired: true, "an amount in quotes, such as `\"10.00\"`", "how much is paid", pattern: "[\\s\\S]+"),
                field("currency", "a currency of ISO 4217", "that of the amount"),
                field("target", isRequired: true, "a currency of ISO 4217", "the payee's"),
            ]
        case .challengeAnswer:
            return [
                field("intent", "a name", "the challenged payment order; a read is meant if it is absent"),
                field("code", "a code in quotes", "what the user types; without it the client waits for the approval in another app"),
            ]
        case .consentRevoke: return [field("consent", "a consent's id", "the newest that is authorised if it is absent")]
        case .roundUp: return [intent, account, field("goal", "a savings goal's id", "the bank's first if it is absent")]
        }
    }
}
