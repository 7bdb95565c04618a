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
    /// The payments with a key.
    private(set) var payments: [Int] = []
    /// The payments of each body, and which of these groups each payment is in.
    private var groups: [[Int]] = []
    private var bodies: [Int: Int] = [:]

    /// - Parameter requests: in the order of time.
    init(_ requests: [JournalEntry]) {
        for (position, request) in requests.enumerated() {
            if let key = request.key { byKey[key, default: []].append(position) }
            if let operation = request.operation { byOperation[operation, default: []].append(position) }
            if let token = request.token { byToken[token, default: []].append(position) }
            for token in request.tokensInResponse { byTokenGiven[token, default: []].append(position) }
            if request.has(.pay), request.key != nil { payments.append(position) }
        }
        findAlike(requests)
    }

    /// The payments with a key that may have the body of the payment there, itself among them: no other has it.
    func alike(_ position: Int) -> [Int] { bodies[position].map { groups[$0] } ?? [] }

    /// Two bodies are equal by their digests, or by what the journal stores of them.
    private mutating func findAlike(_ requests: [JournalEntry]) {
        var texts: [String: String] = [:]
        var others: [String: String] = [:]
        func first(_ text: String) -> String {
            var text = text
            while let other = others[text] { text = other }
            return text
        }
        let values = payments.map { requests[$0].bodyValue }
        for (position, value) in zip(payments, values) {
            let digest = requests[position].bodySHA256
            let (text, known) = (first(value), first(texts[digest] ?? value))
            if text != known { others[text] = known }
            texts[digest] = known
        }
        var numbers: [String: Int] = [:]
        for (position, value) in zip(payments, values) {
            let text = first(value)
            let number = numbers[text] ?? groups.count
            if numbers.updateValue(number, forKey: text) == nil { groups.append([]) }
            groups[number].append(position)
            bodies[position] = number
        }
    }
}

extension Scene {
    /// Those of the positions whose requests' heads were read after that time of the machine's clock, in the order of time.
    func requests(_ positions: [Int], after time: Int64) -> some Sequence<JournalEntry> {
        let begin = positions.indices.partitioningIndex { requests[positions[$0]].monoNanoseconds > time }
        return positions[begin...].lazy.map { requests[$0] }
    }

    /// The first of the positions whose request was sent in knowledge of that exchange's response.
    func firstPosition(among positions: [Int], following exchange: JournalEntry) -> Int? {
        guard let ended = exchange.endNanoseconds else { return nil }
        let begin = positions.indices.partitioningIndex { requests[positions[$0]].monoNanoseconds > ended }
        return positions[begin...].first { follows(requests[$0], exchange) }
    }
}
