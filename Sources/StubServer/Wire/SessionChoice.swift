import BankCore
import BankEngine
import BankModel

/// Finds the session that a request is for: by its port, its path's prefix, its header, its access token, the token that it presents to
/// be refreshed or revoked; else the default session of the bank.
struct SessionChoice: Sendable {
    /// The sessions that a listener serves.
    enum Mount: Sendable {
        /// The port belongs to one session.
        case session(BankSession)
        /// One bank at `/`.
        case bank(BankSession)
        /// Several banks, each at `/<bank>`.
        case banks([BankSession])
    }

    let mount: Mount
    let registry: SessionRegistry
    /// Whether the banks' default sessions answer: of several nodes each has its own, and a proxy would mix them up.
    var servesDefaultSessions = true
    /// The hosts that name a session; nil if none does.
    var hosts: SessionHosts?

    /// The parts of a request that can name a session.
    struct Request {
        let method: String
        let target: String
        /// The host of the address that was asked; nil without one.
        let authority: String?
        /// The value of `X-Counterfoil-Session`; nil without it.
        let session: String?
        let authorization: String?
        let body: [UInt8]
    }

    enum Outcome {
        /// The session, and the target without the prefix of the session or bank.
        case chosen(BankSession, target: String)
        case rejected(WireRejection)
    }

    func choose(_ request: Request) -> Outcome {
        let target = request.target
        if case .session(let session) = mount { return .chosen(session, target: target) }
        if let id = request.authority.flatMap({ hosts?.session(in: $0) }) {
            guard let session = registry.session(id) else { return missing(id) }
            return answered(by: session, target)
        }
        if let (id, rest) = SessionChoice.prefix(target) {
            if let session = registry.session(String(id)) { return answered(by: session, rest) }
            guard isOwnPath(target) else { return missing(String(id)) }
        }
        guard case .chosen(let fallback, let rest) = mounted(target) else { return mounted(target) }
        if let named = request.session {
            guard let session = registry.session(named) else { return missing(named) }
            if case .banks = mount, session.bankName != fallback.bankName {
                return .rejected(
                    WireRejection(
                        status: 409, detail: "session \(named) belongs to bank \(session.bankName), the path to bank \(fallback.bankName)"))
            }
            return answered(by: session, rest)
        }
        guard let id = SessionChoice.session(ofTokenIn: request, at: rest, of: fallback), id != fallback.id else {
            return answered(by: fallback, rest)
        }
        guard let session = registry.session(id) else {
            // Without nodes, the bank itself rejects a token that it does not know.
            return registry.node == nil || ServerNode(ofSession: id) == nil ? answered(by: fallback, rest) : missing(id)
        }
        return answered(by: session.bankName == fallback.bankName ? session : fallback, rest)
    }

    /// Whether TLS asks for a certificate of the client: a bank of the server binds tokens to it.
    var asksForCertificates: Bool { registry.defaultSessions.contains { $0.bank.signIn?.mtls != nil } }

    private static func readsBody(method: String, authorization: String?) -> Bool {
        method == "POST" && authorization.flatMap(session(ofBearer:)) == nil
    }

    /// The session of every connection; nil if each request chooses.
    var onlySession: BankSession? {
        switch mount {
        case .session(let session), .bank(let session): session
        case .banks: nil
        }
    }

    private func answered(by session: BankSession, _ target: String) -> Outcome {
        guard !servesDefaultSessions, let node = registry.node, registry.defaultSessions.contains(where: { $0 === session }) else {
            return .chosen(session, target: target)
        }
        return .rejected(WireRejection(status: 421, detail: SessionError.namedSessionsOnly(node: node).description))
    }

    private func missing(_ id: String) -> Outcome {
        let error = registry.absence(of: id)
        let isElsewhere = if case .elsewhere = error { true } else { false }
        return .rejected(WireRejection(status: isElsewhere ? 421 : 404, detail: error.description))
    }

    private func mounted(_ target: String) -> Outcome {
        switch mount {
        case .session(let session), .bank(let session): return .chosen(session, target: target)
        case .banks(let sessions):
            let name = target.utf8.dropFirst().prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
            guard let session = sessions.first(where: { $0.bankName.utf8.elementsEqual(name) }) else {
                let known = oneOf(sessions.map { "/\($0.bankName)" })
                return .rejected(
                    WireRejection(
                        status: 404, detail: "found the path \(target.prefix { $0 != "?" }), expected one that begins with \(known)"))
            }
            let rest = Substring(target.utf8.dropFirst(1 + name.count))
            return .chosen(session, target: rest.hasPrefix("/") ? String(rest) : "/" + rest)
        }
    }

    /// Whether the bank at `/` has an operation for a path that looks like a session's, as file hosts have: `/s/{link}/data.json`.
    private func isOwnPath(_ target: String) -> Bool {
        guard case .bank(let session) = mount else { return false }
        return !session.methods(at: target).isEmpty
    }

    /// The session's id of a path `/s/<id>…`, and the rest; nil for any other path.
    private static func prefix(_ target: String) -> (Substring, String)? {
        guard target.utf8.starts(with: "/s/".utf8) else { return nil }
        let id = target.dropFirst(3).prefix { $0 != "/" && $0 != "?" }
        guard SessionRegistry.isID(id) else { return nil }
        let rest = target.dropFirst(3 + id.count)
        return (id, rest.hasPrefix("/") ? String(rest) : "/" + rest)
    }

    // MARK: tokens

    /// The session's id in a request's access token, or else in the token that it presents to an operation of the bank.
    private static func session(ofTokenIn request: Request, at target: String, of bank: BankSession) -> String? {
        if let id = request.authorization.flatMap(session(ofBearer:)) { return String(id) }
        guard !request.body.isEmpty, readsBody(method: request.method, authorization: request.authorization) else { return nil }
        return bank.presentedToken(request.method, target, request.body).flatMap { session(ofToken: $0[...]) }.map(String.init)
    }

    private static func session(ofBearer authorization: String) -> Substring? {
        session(ofToken: Substring(authorization.utf8.drop { $0 != UInt8(ascii: " ") }.drop { $0 == UInt8(ascii: " ") }))
    }

    /// The session's id in a token's text `cf_<session>_<resets>_<random>`.
    private static func session(ofToken text: Substring) -> Substring? {
        guard text.utf8.count > 3, text.utf8.starts(with: "cf_".utf8) else { return nil }
        let id = Substring(text.utf8.dropFirst(3).prefix { $0 != UInt8(ascii: "_") })
        return SessionRegistry.isID(id) ? id : nil
    }
}
