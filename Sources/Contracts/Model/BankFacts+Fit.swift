package import BankModel
import DriverProtocol
import Faults

extension BankFacts {
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
