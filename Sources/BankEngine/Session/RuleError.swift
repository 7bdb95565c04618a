import BankCore
package import BankModel
import Faults

/// The properties of a session that decide which rules can apply to it.
struct RuleReach: Sendable {
    /// Whether a port belongs to the session alone, which the points `connect` and `tls` require.
    var hasOwnPort: Bool
    /// The protocols that its listeners speak.
    var protocols: Set<WireProtocol>
    /// Whether at least one of them uses TLS.
    var isSecure: Bool
    /// Whether the authority of their certificates can sign intermediate ones.
    var signsIntermediates = true
    /// Whether a real bank answers: the session then has no state that a rule could read or change.
    var isForwarded = false
}

/// The reason why a rule is rejected.
package enum RuleError: Error, Sendable, Hashable, CustomStringConvertible {
    case unknownOperation(String, known: [String])
    case unboundRole(Role, bank: String)
    case noBusinessFailure(bank: String)
    case noPages(kind: String, bank: String)
    case unknownCustomer(String, known: [String])
    case notCarried(kind: String, expected: [WireProtocol], spoken: [WireProtocol])
    case needsOwnPort(kind: String)
    case needsTLS(kind: String)
    case needsCore(String)
    case needsIntermediate(kind: String)

    package var description: String {
        switch self {
        case .unknownOperation(let name, let known):
            let hint = didYouMean(name, among: known)
            return "found the operation \"\(name)\", expected \(oneOf(known)): the rule could never apply\(hint)"
        case .unboundRole(let role, let bank):
            return "found the role \(role.rawValue), for which bank \(bank) has no operation: the rule could never apply"
        case .noBusinessFailure(let bank):
            return "bank \(bank) has no operation with a business_failure: the rule could never apply"
        case .noPages(let kind, let bank): return "bank \(bank) has no pages, which \(kind) needs: the rule could never apply"
        case .unknownCustomer(let login, let known):
            return "found the customer \"\(login)\", expected \(oneOf(known)): the rule could never apply"
        case .notCarried(let kind, let expected, let spoken):
            return "found \(kind), which only \(oneOf(expected.map(\.title))) can carry; this session's listener supports "
                + "\(spoken.map(\.title).joined(separator: ", "))"
        case .needsTLS(let kind):
            return "found \(kind), which applies to a handshake, but the server has no TLS port; "
                + "start the server with --tls, or make a session with \"listen\": \"tls\""
        case .needsIntermediate(let kind):
            return "found \(kind) of an intermediate authority, which this machine's authority cannot sign: an older version created it; "
                + "delete its folder (`counterfoil trust` shows it); clients must trust the new authority"
        case .needsCore(let what):
            return "found \(what), which needs the stub's state, in a proxy to a real bank: the rule could never apply"
        case .needsOwnPort(let kind):
            return "found \(kind), which applies before a request is read, in a session without a separate port; "
                + "make the session with \"listen\": true (`session new --listen`), or serve one bank alone"
        }
    }

    /// Throws if the selector could never match a request to the bank.
    static func check(_ on: RuleSelector, _ bank: Bank, _ reach: RuleReach) throws(RuleError) {
        if let name = on.operation, !bank.operations.contains(where: { $0.name == name }) {
            throw .unknownOperation(name, known: bank.operations.map(\.name))
        }
        // A bank without operations represents a real one, whose requests have roles by their names.
        let hasOperations = !(reach.isForwarded && bank.operations.isEmpty)
        if let role = on.role, hasOperations, bank.operations(of: role).isEmpty { throw .unboundRole(role, bank: bank.name) }
        if let login = on.customer, !bank.customers.contains(where: { $0.login == login }) {
            throw .unknownCustomer(login, known: bank.customers.map(\.login))
        }
        if reach.isForwarded {
            if on.customer != nil { throw .needsCore("`customer`") }
            if on.token != nil { throw .needsCore("`token`") }
        }
    }

    /// Throws if the rule could never apply to the bank.
    static func check(_ rule: Rule, _ bank: Bank, _ reach: RuleReach) throws(RuleError) {
        try check(rule.on, bank, reach)
        switch rule.setting.fault.need {
        case .businessFailure where !bank.operations.contains { $0.businessFailure != nil }: throw .noBusinessFailure(bank: bank.name)
        case .page where !bank.operations.contains(where: \.isPaged), .cursor where !bank.operations.contains(where: \.isPaged):
            throw .noPages(kind: rule.kind, bank: bank.name)
        default: break
        }
        if reach.isForwarded {
            switch rule.setting.fault.need {
            case .page, .cursor, .read, .idToken, .signInPage, .stream: throw .needsCore(rule.kind)
            case .businessFailure, .intermediate, .requestBody, nil: break
            }
        }
        if rule.carriers.isDisjoint(with: reach.protocols) {
            throw .notCarried(
                kind: rule.kind, expected: rule.carriers.sorted { $0.rawValue < $1.rawValue },
                spoken: reach.protocols.sorted { $0.rawValue < $1.rawValue })
        }
        // HTTP/2 also runs without TLS, so `protocols` does not prove a handshake.
        if rule.point == .tls, !reach.isSecure { throw .needsTLS(kind: rule.kind) }
        if rule.setting.fault.need == .intermediate, !reach.signsIntermediates { throw .needsIntermediate(kind: rule.kind) }
        if rule.point.isOfConnection, !reach.hasOwnPort { throw .needsOwnPort(kind: rule.kind) }
    }
}
