import BankModel
import Faults

extension Scene {
    /// What the journal shows of the order in which a client read responses and sent requests.
    ///
    /// The bank sees when a request's head was read and when a response's last byte was written. It never sees when the client decided
    /// to send. So a rule counts a request as a violation only if it cannot have been sent before.
    struct Timing: Sendable {
        /// For so long after a response's end, in nanoseconds, a request on another connection may have been sent before the response
        /// was read: a handshake and a stalled machine may come between.
        static let grace: Int64 = 500_000_000

        /// The same for another stream of one HTTP/2 connection, whose bytes arrive in the order in which they were sent.
        static let streamGrace: Int64 = 100_000_000

        /// A request that follows a response within this time, in nanoseconds, was sent by a program and not by a user or a timer.
        static let quick: Int64 = 1_000_000_000

        /// With this number in flight, a client may delay further requests that it has already made: URLSession on iOS sends four at a
        /// time to one host, browsers send six.
        private static let crowd = 4

        /// For so long, in nanoseconds, a client waits for a response: those that were in progress when the oldest entry was written, and
        /// were dropped, have ended then.
        private static let patience: Int64 = 60_000_000_000

        /// Whether the client sends one request at a time, each after it has read the response to the one before.
        let isSequential: Bool

        /// The requests that may have been made long before their heads were read, by number, and why.
        let late: [Int: InconclusiveReason]

        /// When the head of the first attempt was read, for each request that an HTTP library may have sent again by itself, by number.
        let resent: [Int: Int64]

        /// `requests` are in the order in which their heads were read; `journal` has the connections besides, of which no head was read.
        init(_ requests: [JournalEntry], of journal: [JournalEntry], dropped: Int, isSequential: Bool) {
            self.isSequential = isSequential
            // A fault delayed the connection before the request could be read.
            let slowed = journal.filter { $0.method == nil && $0.hasFault(.delaysConnection) }
            let slow = Set(slowed.map(\.connection))
            let settled = dropped > 0 ? (requests.first?.monoNanoseconds ?? 0) + Timing.patience : .min
            var late: [Int: InconclusiveReason] = [:]
            // The exchanges in flight, by their end or without one, and the end of the last group of concurrent ones.
            var ends: [Int64] = []
            var endless = 0
            var dispersed = Int64.min
            for request in requests {
                ends.removeAll { $0 <= request.monoNanoseconds }
                if let end = request.endNanoseconds { ends.append(end) } else { endless += 1 }
                if slow.contains(request.connection) {
                    late[request.seq] = .delayed
                } else if request.monoNanoseconds <= dispersed {
                    late[request.seq] = .crowd
                } else if request.monoNanoseconds < settled {
                    late[request.seq] = .dropped
                }
                if ends.count + endless >= Timing.crowd {
                    let last = ends.max() ?? request.monoNanoseconds
                    dispersed = max(dispersed, last + Timing.streamGrace)
                }
            }
            self.late = late
            resent = Timing.resends(in: requests)
        }

        /// HTTP libraries repeat requests with an idempotent method whose connection ends before a response (RFC 9110 §9.2.2).
        private static func resends(in requests: [JournalEntry]) -> [Int: Int64] {
            var resent: [Int: Int64] = [:]
            // When the first attempt came, and when the last one was lost, by what is asked for: a client may ask for it several times at once.
            var lost: [[String]: [(first: Int64, ended: Int64)]] = [:]
            for request in requests where ["GET", "HEAD", "OPTIONS", "PUT", "DELETE"].contains(request.method) {
                let isLost = request.status == nil && request.receipt.end != .clientGone
                guard isLost || !lost.isEmpty else { continue }
                let name = request.sameness
                var open = (lost[name] ?? []).filter { request.monoNanoseconds <= $0.ended + quick }
                if let earlier = open.firstIndex(where: { $0.ended < request.monoNanoseconds }) {
                    resent[request.seq] = open.remove(at: earlier).first
                }
                if isLost, let ended = request.endNanoseconds {
                    open.append((first: resent[request.seq] ?? request.monoNanoseconds, ended: ended))
                }
                lost[name] = open.isEmpty ? nil : open
            }
            return resent
        }
    }

    /// The requests that were sent in knowledge of that exchange's response, in the order of time.
    func after(_ exchange: JournalEntry) -> some Sequence<JournalEntry> {
        let begin = exchange.endNanoseconds.map { firstIndex(after: $0) } ?? requests.endIndex
        return requests[begin...].lazy.filter { follows($0, exchange) }
    }

    /// The successors of an exchange: the first matching request that was sent after its response was read, and before it those of
    /// that the journal cannot decide.
    struct Successors {
        var certain: JournalEntry?
        var uncertain: [(request: JournalEntry, cause: InconclusiveReason)] = []
        /// Whether there were so many of these that no later request was looked at.
        var isCut = false

        /// A client that never waits may have sent thousands, each of which would be compared with all behind it.
        fileprivate static let mostUncertain = 200
    }

    /// The requests after an exchange that fit, up to the first that was sent in knowledge of its response.
    ///
    /// - Parameters:
    ///   - positions: those of all requests that may fit, from the ``index``; nil for all.
    ///   - latest: the last time, in nanoseconds, at which one may fit.
    func successors(
        of exchange: JournalEntry, among positions: [Int]? = nil, until latest: Int64 = .max, where fits: (JournalEntry) -> Bool
    ) -> Successors {
        var successors = Successors()
        guard let ended = exchange.endNanoseconds else { return successors }
        let begin = firstIndex(after: ended)
        let first = positions.map { list in list.indices.partitioningIndex { list[$0] >= begin } } ?? begin
        for number in first..<(positions?.count ?? requests.count) {
            let request = requests[positions?[number] ?? number]
            if request.monoNanoseconds > latest { break }
            guard fits(request) else { continue }
            switch order(of: request, after: exchange) {
            case .before: continue
            case .open(let cause):
                guard successors.uncertain.count < Successors.mostUncertain else {
                    successors.isCut = true
                    return successors
                }
                successors.uncertain.append((request, cause))
            case .after:
                successors.certain = request
                return successors
            }
        }
        return successors
    }

    /// The requests after an exchange that fit, of which only those count that the client sent unasked. `isRepeat` is whether a program
    /// that repeats the exchange's request sends this one; it counts only at a program's speed. The other parameters are those of
    /// ``successors(of:among:until:where:)``.
    func unaskedSuccessors(
        of exchange: JournalEntry, among positions: [Int]?, until latest: Int64 = .max, where fits: (JournalEntry) -> Bool,
        isRepeat: (JournalEntry) -> Bool
    ) -> Successors {
        let soon = min(latest, (exchange.endNanoseconds ?? 0) + Timing.quick)
        let unasked = successors(of: exchange, among: positions, until: soon) { fits($0) && isRepeat($0) }
        if unasked.certain != nil { return unasked }
        var successors = successors(of: exchange, among: positions, until: latest, where: fits)
        if let asked = successors.certain {
            successors.certain = nil
            successors.uncertain.append((asked, .user))
        }
        return successors
    }

    /// The requests whose heads were read within a time, in nanoseconds, after the exchange's end, whatever the client knew.
    func within(_ time: Int64, after exchange: JournalEntry) -> ArraySlice<JournalEntry> {
        guard let ended = exchange.endNanoseconds else { return [] }
        let begin = firstIndex(after: ended)
        return requests[begin..<max(begin, firstIndex(after: ended + time))]
    }

    /// Whether the request cannot have been made before the exchange's response was read.
    func follows(_ request: JournalEntry, _ exchange: JournalEntry) -> Bool { order(of: request, after: exchange) == .after }

    /// Whether a client knew a response when it sent a request.
    enum Order: Hashable {
        /// It did not: the response had not ended.
        case before
        /// The journal cannot decide.
        case open(InconclusiveReason)
        /// It did, or should have.
        case after
    }

    func order(of request: JournalEntry, after exchange: JournalEntry) -> Order {
        guard let ended = exchange.endNanoseconds, request.monoNanoseconds > ended else { return .before }
        if let cause = timing.late[request.seq] { return .open(cause) }
        if exchange.receipt.isReset { return .open(.reset) }
        if exchange.mayBeUnread { return .open(.gone) }
        // Even a client that sends one request at a time does not know of a proxy's retry.
        if request.monoNanoseconds <= ended + Timing.quick, request.isForwarded,
            !timing.isSequential || request.saysTheSame(as: exchange)
        {
            return .open(.proxy)
        }
        if timing.isSequential { return .after }
        if let first = timing.resent[request.seq], first <= ended { return .open(.resent) }
        // Clients do not pipeline: the next request on an HTTP/1.1 connection follows the response.
        let isSame = request.connection == exchange.connection
        let grace = isSame ? (request.wireProtocol == .h2 ? Timing.streamGrace : 0) : Timing.grace
        return request.monoNanoseconds > ended + grace ? .after : .open(.soon(request.monoNanoseconds - ended))
    }

    /// Whether another device, or the app for another account, may have sent a request. A common key or token shows that one client has sent both
    /// for one customer; for a request without a token a common connection does, unless it is a proxy's.
    func mayBeOfAnotherDevice(_ request: JournalEntry, than earlier: JournalEntry) -> Bool {
        if let key = request.key, key == earlier.key { return false }
        guard request.knownToken != nil else {
            return !isOfOneClient && (request.connection != earlier.connection || request.isForwarded)
        }
        return mayBeOfAnotherAccount(request, than: earlier)
    }

    /// Whether a request has another token than the earlier one, and that token was in use before: a renewed one comes later. An app may have two
    /// accounts, and a backend one for each of its users.
    func mayBeOfAnotherAccount(_ request: JournalEntry, than earlier: JournalEntry) -> Bool {
        guard let token = request.knownToken, token != earlier.token, let ended = earlier.endNanoseconds else { return false }
        let first = index.byToken[token]?.first
        return wasGiven(token, to: ended) || first.map { requests[$0].monoNanoseconds < ended } ?? false
    }

    /// Whether a request has another token than the earlier one, and is not known to have it by a refresh of that one's sign-in: another customer
    /// or device may have signed in, at a backend or beside a proxy that records several apps. A common key shows that one client has sent both.
    func mayBeOfAnotherSignIn(_ request: JournalEntry, than earlier: JournalEntry) -> Bool {
        if let key = request.key, key == earlier.key { return false }
        guard let token = request.knownToken, let old = earlier.token, token != old else { return false }
        let refresh = (index.byTokenGiven[token] ?? []).first { requests[$0].has(.refresh) }
        let sent = Set(refresh.map { requests[$0].refreshTokensSent } ?? [])
        guard !sent.isEmpty else { return true }
        return !(index.byTokenGiven[old] ?? []).contains { position in
            let response = requests[position]
            return !sent.isDisjoint(with: response.refreshTokensGiven + response.refreshTokensSent)
        }
    }

    /// Whether a response that was sent in that stretch of time brought the token of that id.
    func wasGiven(_ token: String, from start: Int64 = .min, to end: Int64 = .max) -> Bool {
        let given = index.byTokenGiven[token] ?? []
        let first = given.indices.partitioningIndex { requests[given[$0]].monoNanoseconds >= start }
        return first < given.count && requests[given[first]].monoNanoseconds < end
    }

    /// The index of the first request whose head was read after that time of the machine's clock.
    private func firstIndex(after time: Int64) -> Int { requests.indices.partitioningIndex { requests[$0].monoNanoseconds > time } }

    var payments: [JournalEntry] { index.payments.map { requests[$0] } }
}

extension JournalEntry {
    /// Whether the client may have given up before the response came: the bank closed a connection that neither side had announced to close, as
    /// it does when the client has closed its side. No client gives up sooner.
    var mayBeUnread: Bool {
        guard receipt.end == .fin, let duration = durationMicroseconds, duration * 1000 >= Scene.Timing.grace else { return false }
        return ![requestHeaders, responseHeaders].contains { $0.value(of: "connection")?.lowercased().contains("close") ?? false }
    }
}
