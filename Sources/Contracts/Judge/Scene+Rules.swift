import BankModel
import Faults

extension Scene {
    /// Whether some exchange was all that a rule is for but for its attempt or its connection.
    func metAllButTiming(_ armed: Evidence.ArmedRule) -> Bool {
        var selector = armed.rule.on
        guard selector.attempt != nil || selector.connection != nil else { return false }
        let exact = selector
        (selector.attempt, selector.connection) = (nil, nil)
        let later = exchanges(after: armed.step).map(\.facts)
        return later.contains(where: selector.matches) && !later.contains(where: exact.matches)
    }
}

extension JournalEntry {
    /// What a rule could know of the exchange.
    var facts: ExchangeFacts {
        ExchangeFacts(
            roles: roles.compactMap(Role.init(rawValue:)), operation: operation, method: method ?? "", path: path,
            headers: requestHeaders, customer: customer, token: token, requestOnConnection: requestOnConnection,
            wireProtocol: wireProtocol, attempt: attempt ?? 1)
    }
}
