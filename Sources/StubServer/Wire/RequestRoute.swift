import BankEngine
import BankModel

/// How a request is answered, as decided from its head.
enum RequestRoute {
    case refuse(WireRefusal)
    /// A CORS preflight, with the headers that the browser wants to send; nil if it names none.
    case preflight(asked: String?)
    /// The session, and the target without the prefix of the session or bank.
    case session(BankSession, target: String, authorization: String?)
}

extension WireContext {
    /// Routes a request of any protocol.
    ///
    /// - Parameter header: returns the values of a header by its name in lower case.
    func route(method: String, target: String, header: (String) -> [String]) -> RequestRoute {
        let authorizations = header("authorization")
        if let refusal = WireRefusal(authorizations: authorizations.count) { return .refuse(refusal) }
        if cors != nil, method == "OPTIONS", !header("access-control-request-method").isEmpty {
            return .preflight(asked: header("access-control-request-headers").first)
        }
        switch choice.choose(target, header: header("x-counterfoil-session").first, authorization: authorizations.first) {
        case .refused(let status, let detail): return .refuse(WireRefusal(status: status, detail: detail))
        case .chosen(let session, let own):
            if method == "TRACE", let refusal = WireRefusal(traceOf: session.methods(at: own)) { return .refuse(refusal) }
            return .session(session, target: own, authorization: authorizations.first)
        }
    }
}

/// Finds the session that a request is for: by its port, its path's prefix, its header, its token; else the bank's
/// standing one.
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

    enum Outcome {
        /// The session, and the target without the prefix of the session or bank.
        case chosen(BankSession, target: String)
        case refused(status: Int, detail: String)
    }

    func choose(_ target: String, header: String?, authorization: String?) -> Outcome {
        if case .session(let session) = mount { return .chosen(session, target: target) }
        if let (id, rest) = SessionChoice.prefix(target) {
            if let session = registry.session(String(id)) { return .chosen(session, target: rest) }
            guard isOwnPath(target) else { return .refused(status: 404, detail: "there is no session \(id)") }
        }
        switch mounted(target) {
        case .refused(let status, let detail): return .refused(status: status, detail: detail)
        case .chosen(let standing, let rest):
            if let header {
                guard let session = registry.session(header) else { return .refused(status: 404, detail: "there is no session \(header)") }
                if case .banks = mount, session.bankName != standing.bankName {
                    return .refused(
                        status: 409, detail: "session \(header) is of bank \(session.bankName), the path is of bank \(standing.bankName)")
                }
                return .chosen(session, target: rest)
            }
            if let id = authorization.flatMap(SessionChoice.sessionID), id != standing.id, let session = registry.session(String(id)),
                session.bankName == standing.bankName
            {
                return .chosen(session, target: rest)
            }
            return .chosen(standing, target: rest)
        }
    }

    /// The session of every connection; nil if each request chooses.
    var onlySession: BankSession? {
        switch mount {
        case .session(let session), .bank(let session): session
        case .banks: nil
        }
    }

    /// Whether the session exists as long as the listener does: a port's own, or a bank's standing one.
    func isLasting(_ session: BankSession) -> Bool {
        switch mount {
        case .session(let own), .bank(let own): own === session
        case .banks(let standing): standing.contains { $0 === session }
        }
    }

    private func mounted(_ target: String) -> Outcome {
        switch mount {
        case .session(let session), .bank(let session): return .chosen(session, target: target)
        case .banks(let sessions):
            let name = target.utf8.dropFirst().prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
            guard let session = sessions.first(where: { $0.bankName.utf8.elementsEqual(name) }) else {
                let known = oneOf(sessions.map { "/\($0.bankName)" })
                return .refused(
                    status: 404, detail: "found the path \(target.prefix { $0 != "?" }), expected one that begins with \(known)")
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

    /// The session's id in a token's text `cf_<session>_<resets>_<random>`.
    private static func sessionID(_ authorization: String) -> Substring? {
        guard authorization.utf8.count > 10, authorization.utf8.dropFirst(7).starts(with: "cf_".utf8) else { return nil }
        let id = Substring(authorization.utf8.dropFirst(10).prefix { $0 != UInt8(ascii: "_") })
        return SessionRegistry.isID(id) ? id : nil
    }
}
