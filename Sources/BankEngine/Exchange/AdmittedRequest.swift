import BankCore
import BankModel
import Faults

/// A request with its operation, its caller and what the core decided on it. It outlives its exchange's first part if that must wait.
struct AdmittedRequest: Sendable {
    let wire: WireRequest
    let tracked: BankSession.Connections.TrackedConnection
    /// The operation that the request matched, and the core's verdict before anything is executed; nil if it matched none.
    let found: (match: Match, admission: Admission)?

    var match: Match? { found?.match }

    var admission: Admission? { found?.admission }

    /// The right to execute it; nil if it was not granted.
    var ticket: Ticket? { if case .ready(let ticket) = admission?.verdict { ticket } else { nil } }

    /// Fills in the record's operation and caller.
    func describe(in record: inout ExchangeRecord, _ session: BankSession.LockedState) {
        record.operation = match.map { OperationFacts(name: $0.name, roles: $0.roles) }
        record.token = admission.map(\.token) ?? session.state.label(ofUnmatched: wire.request)
        record.customer = admission?.customer
        record.key = admission?.key
        record.attempt = admission?.attempt
    }

    /// The request as rules see it.
    func facts(_ session: BankSession.LockedState, token: String?) -> ExchangeFacts {
        let request = wire.request
        return ExchangeFacts(
            roles: match?.roles ?? session.upstream?.roles(of: request) ?? [], operation: match?.name, method: request.method,
            path: request.path, headers: request.headers,
            customer: admission?.customer, token: token, requestOnConnection: tracked.requests,
            wireProtocol: wire.line.wireProtocol, isSecure: !session.rules.isEmpty && wire.isSecure, attempt: admission?.attempt ?? 1,
            hasFollowed: wire.hasFollowed,
            abilities: session.rules.isEmpty ? [] : match?.abilities(request, session.state.prepared) ?? [])
    }
}

/// An exchange that has not been executed yet.
struct PendingExchange: Sendable {
    let asked: AdmittedRequest
    let facts: ExchangeFacts
    /// What answers it in place of the core; nil if the core does.
    let upstream: (any Upstream)?
}

extension BankSession.LockedState {
    var codings: [ContentCoding] { state.prepared.bank.compression }

    /// The coding in which a response to that request is sent; nil if it is sent as it is.
    func coding(of response: BankResponse, to request: BankRequest) -> ContentCoding? {
        codings.isEmpty ? nil : response.coding(among: codings, for: AcceptedCodings(request.headers))
    }
}

extension Match {
    /// The needs of faults (``FaultNeed``) that a request for this operation meets.
    func abilities(_ request: BankRequest, _ bank: PreparedBank) -> Set<FaultNeed> {
        var abilities: Set<FaultNeed> = []
        if operation.businessFailure != nil { abilities.insert(.businessFailure) }
        if operation.isRead { abilities.insert(.read) }
        if operation.stream != nil { abilities.insert(.stream) }
        if operation.givesIDToken { abilities.insert(.idToken) }
        if operation.signIn == .page || operation.signIn == .decision { abilities.insert(.signInPage) }
        if !request.body.isEmpty { abilities.insert(.requestBody) }
        if let paging = bank.paging[index] {
            abilities.insert(.page)
            if paging.value(of: paging.cursor, in: request, json: nil) != nil { abilities.insert(.cursor) }
        }
        return abilities
    }
}
