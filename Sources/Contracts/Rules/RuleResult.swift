import BankModel

/// The result of a rule in a scene: each time it applied, it was broken or not, or the journal cannot decide.
package struct RuleResult: Sendable, Hashable {
    /// How often the rule applied.
    package private(set) var applied = 0
    /// What shows that it was broken, each once.
    package private(set) var broken: [Finding] = []
    package private(set) var openFindings: [OpenFinding] = []
    /// The findings in ``broken``, for looking up.
    private var known: Set<Finding> = []
    /// The exchanges that belong to a trigger in doubt. A burst is one trigger: that no request follows its last
    /// exchange does not show that the rule was not broken.
    private var bursts: Set<Int> = []
    /// The time, in nanoseconds, from which on all may belong to a burst that was too long to be followed to its end.
    private var endlessFrom = Int64.max

    package init() {}

    /// Counts one time that the rule applied, and records what shows it broken, if anything does.
    mutating func add(_ finding: Finding? = nil) {
        applied += 1
        if let finding, known.insert(finding).inserted { broken.append(finding) }
    }

    /// Counts one time that the rule applied: it was broken, or the journal cannot decide that.
    ///
    /// - Parameter doubt: why the journal cannot decide it; nil if it does.
    mutating func add(_ finding: Finding, unless doubt: InconclusiveReason?) {
        guard let doubt else { return add(finding) }
        add(finding, reason: doubt.reason, advice: doubt.advice)
    }

    /// Counts one time that the rule applied, where nothing can decide whether it was broken.
    mutating func add(_ finding: Finding, reason: String, advice: String) {
        applied += 1
        openFindings.append(OpenFinding(finding, reason: reason, advice: advice))
    }

    /// Counts a trigger by what followed it: `finding` is what a request is that was sent in knowledge of the trigger's response.
    mutating func add(_ trigger: JournalEntry, _ successors: Scene.Successors, _ finding: (JournalEntry) -> Finding) {
        if let certain = successors.certain { return add(finding(certain)) }
        let isInBurst = bursts.contains(trigger.seq) || trigger.monoNanoseconds > endlessFrom
        if successors.isCut, let last = successors.uncertain.last?.request { endlessFrom = min(endlessFrom, last.monoNanoseconds) }
        if let (request, cause) = successors.uncertain.first {
            var suspect = finding(request)
            suspect.requests = ([trigger] + successors.uncertain.map(\.request)).map(RequestRef.init)
            bursts.formUnion(suspect.requests.map(\.number))
            if !isInBurst { add(suspect, unless: cause) }
        } else if !isInBurst {
            add()
        }
    }
}

/// A rule that may have been broken; the journal cannot decide.
package struct OpenFinding: Sendable, Hashable {
    package var finding: Finding
    /// Why the journal cannot decide.
    package var reason: String
    /// The change to the test that lets the journal decide.
    package var advice: String

    init(_ finding: Finding, reason: String, advice: String) {
        self.finding = finding
        self.reason = reason
        self.advice = advice
    }
}

/// Why a journal cannot decide whether a client did what a rule forbids.
enum InconclusiveReason: Sendable, Hashable {
    /// The request came so soon after the response, in nanoseconds, and not on a connection that shows their order.
    case soon(Int64)
    /// The client may have made the request while several others were in flight, and delayed it.
    case crowd
    /// A fault delayed the request's connection.
    case delayed
    /// The client reset the connection of the response.
    case reset
    /// The client may have closed the connection before the response came.
    case gone
    /// The client's HTTP library may have sent the request again by itself, because the connection of the first attempt had ended.
    case resent
    /// A proxy between the client and the bank may have sent the request again by itself, or on a connection that it shares among clients.
    case proxy
    /// The journal dropped entries that would show it.
    case dropped
    /// The client sends equal payments one right after the other anyway.
    case twins
    /// The bodies are longer than the journal stores, or not stored at all, or of a kind in which other bytes may have the same content.
    case unread
    /// The journal has taken a secret or a token out of the bodies, and what is left does not show what they were.
    case blanked
    /// It came so long after the response, or was so different, that the user may have asked for it.
    case user
    /// Another device, or the app for another account, may have sent the request.
    case device

    /// The sentence that a report has for it.
    var reason: String {
        switch self {
        case .soon(let nanoseconds):
            "it arrived \(nanoseconds / 1_000_000) ms after the response, on another connection; the client may have sent it before reading the response"
        case .crowd: "the client had several requests in flight and may have sent this one before reading the response"
        case .delayed: "a fault delayed its connection; the client may have sent it before reading the response"
        case .reset: "the client reset the connection after the response and may never have read it"
        case .gone: "the client may have closed the connection before the response came, and may never have read it"
        case .resent:
            "it repeats a request that was under way then, whose connection ended; an HTTP library sends such a request again by itself"
        case .proxy: "it came through a proxy, which may retry requests by itself and shares connections among clients"
        case .dropped: "the journal dropped older entries (journal limit reached), which may explain it"
        case .twins: "the client also sends equal payments within 1 s of a success, so this may be a second payment"
        case .unread:
            "the journal does not store bodies of this size, or they are compressed or in several parts; different bytes may have the same content"
        case .blanked:
            "the journal does not store secrets and tokens, so what it has of these bodies does not show whether they were the same"
        case .user: "the user may have asked for it: it is not the same request within 1 s of the response"
        case .device:
            "another device, or the app for another account, may have sent it: it has another token, "
                + "or no valid token and a connection that may be another client's"
        }
    }

    /// The change to the test that lets the journal decide.
    var advice: String {
        switch self {
        case .soon, .crowd:
            "send one request at a time over a persistent connection, or wait half a second after the response; "
                + "for an app that sends one at a time, use `judge --sequential`, or `sequential` of a kit's `expect`"
        case .delayed: "remove the rule that delays connections"
        case .reset: "let the app read each response before it closes the connection"
        case .gone: "let the bank respond within the app's time limit"
        case .resent: "remove the rule that ends connections before the response, and let the server run"
        case .proxy: "let the app reach the bank without the proxy"
        case .dropped: "reset the session before the test, or raise the journal limit"
        case .twins: "send one payment at a time"
        case .unread: "send a body of at most 8 KiB, neither compressed nor in parts, to a session that does not forward to another bank"
        case .blanked: "use a bank whose payments have no secret and no token in their bodies, such as a stub"
        case .user: "do not reload or tap again in the app before that time"
        case .device:
            "use one device, one account and a persistent connection; "
                + "for an app that sends one request at a time, use `judge --sequential`, or `sequential` of a kit's `expect`"
        }
    }
}
