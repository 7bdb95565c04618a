package import BankModel
package import DriverProtocol
package import Faults

/// The facts of a bank that a contract run needs, however it is served.
package struct BankFacts: Sendable {
    package var name: String
    /// The first is the one that signs in unless a case names another.
    package var customers: [Customer]
    /// Those who exist but cannot sign in.
    package var locked: Set<String> = []
    /// The needs of faults that no operation of the bank meets: such a fault could never apply here.
    package var unmet: Set<FaultNeed> = []
    /// The events that cannot happen at this bank, because it does not define how its lists show them, or no payment is ever pending.
    package var impossible: Set<BankEvent.Kind> = []
    /// The responses of the dialect that no client can distinguish from one that requires something else: a case about them shows nothing.
    package var indistinct: Set<DialectResponseName> = []
    /// The arguments that the bank's `defaults` do not give for a customer, such as the payee of one who has a single account.
    package var unfilled: [(login: String, operation: DriverOperation, argument: String)] = []
    /// False for a bank whose data anyone may read: a `login` step is skipped there.
    package var hasTokens: Bool
    /// Whether all that a client reads can be read without a sign-in, too. It is then the first customer's.
    package var isOpen = false
    /// False if the client gets the token with the case.
    package var hasLoginCall: Bool
    /// Whether a client can sign in with a password: by a call of the bank, or on its page.
    package var takesPasswords: Bool { hasLoginCall || operations.contains(.authorizeBegin) }
    /// Whether the id of a consent is the token once the customer has authorised it: a client may have it before.
    package var consentIsCredential = false
    /// Whether a payment is made only once its customer has authorised it on a page of the bank.
    package var authorisesPayments = false
    /// The ids of the apps that may sign customers in on the bank's page without a secret.
    package var publicClients: Set<String> = []
    /// The bank's demands on idempotency keys.
    package var key: Key
    /// The rejections that are not a bank's own words, but were invented for the stub.
    package var invented: Set<DialectResponseName>
    /// The driver operations that make sense here.
    package var operations: [DriverOperation]
    /// Method and absolute path template of each role's operations, for the driver's information.
    package var roles: [(role: Role, calls: [(method: String, path: String)])]
    /// The names of its calls that show a challenge or a consent: a client polls them while the customer decides elsewhere.
    package var decisionCalls: Set<String> = []

    /// One who can sign in.
    package struct Customer: Sendable, Hashable {
        package var login: String
        package var password: String

        package init(login: String, password: String) {
            self.login = login
            self.password = password
        }
    }

    /// How an idempotency key must be written.
    package struct Key: Sendable, Hashable {
        package var isUUID: Bool
        /// In characters.
        package var longest: Int

        package init(isUUID: Bool = false, longest: Int = 255) {
            self.isUUID = isUUID
            self.longest = longest
        }
    }

    package init(
        name: String, customers: [Customer] = [], hasTokens: Bool = true, hasLoginCall: Bool = true, key: Key = Key(),
        operations: [DriverOperation] = [], roles: [(role: Role, calls: [(method: String, path: String)])] = [],
        invented: Set<DialectResponseName> = []
    ) {
        self.name = name
        self.customers = customers
        self.hasTokens = hasTokens
        self.hasLoginCall = hasLoginCall
        self.key = key
        self.operations = operations
        self.roles = roles
        self.invented = invented
    }

    /// `$other`: the first customer who is not that one, nor, if nil, the one who signs in by default; nil if there is none.
    package func customer(otherThan login: String?) -> Customer? {
        let signsIn = login ?? customers.first?.login
        return customers.first { $0.login != signsIn }
    }

    /// The operation of `read`: the first of `accounts`, `transactions`, `balance` that the bank has.
    package var read: DriverOperation? { [.accounts, .transactions, .balance].first(where: operations.contains) }

    /// The roles as a driver receives them.
    package var rolesJSON: JSON {
        .object(
            JSONObject(
                roles.map { role, calls in
                    (role.rawValue, .array(calls.map { ["method": .string($0.method), "path": .string($0.path)] }))
                }))
    }

    /// Whether the bank has everything that a case's preconditions and steps name: its customers, and what its faults need.
    /// On any other bank the case would show nothing about the client.
    func canDecide(_ given: Given, _ steps: [NumberedStep]) -> Bool {
        let named =
            [given.customer].compactMap(\.self) + steps.filter { $0.action.operation == .login }.compactMap { $0.action.argument("user") }
            + steps.compactMap { if case .browser(let browser) = $0.action { browser.user } else { nil } }
        let logins = locked.union(customers.map(\.login))
        // Facts without customers are those of no bank in particular.
        guard customers.isEmpty || logins.isSuperset(of: named) else { return false }
        // Without the customer's authorisation no payment is made there.
        let pays = steps.contains { [.pay, .resume].contains($0.action.asked) }
        if authorisesPayments, pays, !steps.contains(where: \.action.isVisit) { return false }
        return !steps.contains { step in
            if let response = step.action.response, indistinct.contains(response) { return true }
            if case .happen(let event) = step.action, impossible.contains(event.kind) { return true }
            guard case .fault(let rule) = step.action, let need = rule.setting.fault.need else { return false }
            return unmet.contains(need)
        }
    }

    /// The bank as a client without a sign-in sees it; nil if the bank shows nothing to such a client, or all to anyone.
    var withoutSignIn: BankFacts? {
        guard hasTokens, isOpen else { return nil }
        var bank = self
        bank.hasTokens = false
        bank.customers = Array(customers.prefix(1))
        bank.locked = []
        bank.operations.removeAll {
            [.login, .logout, .status, .authorizeBegin, .authorizeFinish, .challengeAnswer, .consents, .consentRevoke].contains($0)
        }
        return bank
    }
}

extension DialectResponseName {
    /// The responses that ask something else of a client than this one. If the bank sends the same for one of them, no client can know what
    /// it asks. A 403 without a known code is `forbidden`: it is the response with a distinct meaning that must differ.
    package var contrary: Set<DialectResponseName> {
        let signedOut: Set<DialectResponseName> = [.noCredentials, .tokenRejected, .tokenExpired]
        let final: Set<DialectResponseName> = [.badRequest, .keyMissing, .keyMismatch, .insufficientFunds]
        return switch self {
        case .noCredentials, .tokenRejected, .tokenExpired: [.scopeRefused, .stepUp, .consentExpired, .notFound]
        case .scopeRefused, .stepUp: signedOut
        case .consentExpired: signedOut.union([.scopeRefused, .stepUp, .notFound])
        case .keyInFlight: final
        case .keyMismatch: [.keyInFlight]
        case .cursorExpired: final.union([.notFound])
        case .badRequest, .keyMissing, .insufficientFunds: [.keyInFlight, .rateLimited, .maintenance, .internalError]
        case .rateLimited, .maintenance, .internalError: final
        case .notFound: signedOut
        }
    }
}

extension StepAction {
    /// The response of the dialect that the step is about.
    fileprivate var response: DialectResponseName? {
        switch self {
        case .fault(let rule): (rule.setting.fault as? DialectFault)?.name
        case .tokens(.expire): .tokenExpired
        case .tokens(.revoke): .tokenRejected
        case .tokens(.downscope): .scopeRefused
        default: nil
        }
    }
}
