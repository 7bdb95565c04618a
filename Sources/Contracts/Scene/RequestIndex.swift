import BankModel

/// Where the requests are that rules look for: found once, because a journal may have a hundred thousand of them.
///
/// Its numbers are positions in the scene's requests, each list in the order of time.
struct RequestIndex: Sendable {
    /// The requests with each idempotency key.
    private(set) var byKey: [String: [Int]] = [:]
    /// The requests of each operation.
    private(set) var byOperation: [String: [Int]] = [:]
    /// The requests with each token.
    private(set) var byToken: [String: [Int]] = [:]
    /// The requests whose responses brought each token.
    private(set) var byTokenGiven: [String: [Int]] = [:]
    /// The refreshes.
    private(set) var refreshes: [Int] = []
    /// The refreshes that sent each refresh token.
    private(set) var byRefreshTokenSent: [String: [Int]] = [:]
    /// The payments with a key.
    private(set) var payments: [Int] = []
    /// The payments with a key, by the values of their bodies.
    private var byBody: [String: [Int]] = [:]
    /// The value of each digest's body: where the journal stores less of one of these bodies, another has it.
    private var bodies: [String: String] = [:]

    /// - Parameter requests: in the order of time.
    init(_ requests: [JournalEntry]) {
        for (position, request) in requests.enumerated() {
            if let key = request.key { byKey[key, default: []].append(position) }
            if let operation = request.operation { byOperation[operation, default: []].append(position) }
            if let token = request.token { byToken[token, default: []].append(position) }
            for token in request.tokensInResponse { byTokenGiven[token, default: []].append(position) }
            if request.has(.refresh) {
                refreshes.append(position)
                for token in request.refreshTokensSent { byRefreshTokenSent[token, default: []].append(position) }
            }
            guard request.has(.pay), request.key != nil else { continue }
            payments.append(position)
            let (digest, value) = (request.bodySHA256, request.bodyValue)
            if bodies[digest] == nil || value != digest { bodies[digest] = value }
        }
        for position in payments { byBody[body(of: requests[position]), default: []].append(position) }
    }

    /// The payments with a key that may have the body of that payment, itself among them: no other has it.
    func alike(_ payment: JournalEntry) -> [Int] { byBody[body(of: payment)] ?? [] }

    private func body(of payment: JournalEntry) -> String { bodies[payment.bodySHA256] ?? payment.bodyValue }
}

extension Scene {
    /// Those of the positions whose requests' heads were read after that time of the machine's clock, in the order of time.
    func requests(_ positions: [Int], after time: Int64) -> some Collection<JournalEntry> {
        let begin = positions.indices.partitioningIndex { requests[positions[$0]].monoNanoseconds > time }
        return positions[begin...].lazy.map { requests[$0] }
    }

    /// The last of the positions whose request's head was read in that time of the machine's clock, its beginning left out.
    func lastPosition(among positions: [Int], after start: Int64, to end: Int64) -> Int? {
        let behind = positions.indices.partitioningIndex { requests[positions[$0]].monoNanoseconds > end }
        guard let last = positions[..<behind].last, requests[last].monoNanoseconds > start else { return nil }
        return last
    }

    /// The first of the positions whose request was sent in knowledge of that exchange's response.
    func firstPosition(among positions: [Int], following exchange: JournalEntry) -> Int? {
        guard let ended = exchange.endNanoseconds else { return nil }
        let begin = positions.indices.partitioningIndex { requests[positions[$0]].monoNanoseconds > ended }
        return positions[begin...].first { follows(requests[$0], exchange) }
    }
}
