import BankModel
import DequeModule

/// Counts requests in fixed windows of the session's clock, for the rate limits of a bank.
///
/// It stores one window for each token, customer or operation with a request in it. Windows that are over are dropped.
struct RequestCounter: Sendable {
    /// The windows by the operation whose own limit they are of; those of the dialect's limit under nil.
    private var counts: [String?: Windows] = [:]

    /// The number of windows that are stored.
    var count: Int { counts.values.reduce(0) { $0 + $1.count } }

    /// Counts a request, unless its window is used up.
    ///
    /// - Parameters:
    ///   - limit: the limit that applies to the operation.
    ///   - token: the token presented, if it is a known one.
    mutating func count(_ limit: RateLimit, _ operation: Operation, _ token: TokenBook.Token?, at now: Instant) -> RateUsage {
        var policy: String?
        if case .own = operation.limit { policy = operation.name }
        let group: String? =
            switch limit.per {
            case .token: token?.id
            case .customer: token?.customer
            case .operation: operation.name
            }
        let window = counts[policy, default: Windows()].count(group, limit, at: now)
        return RateUsage(limit: limit, policy: policy ?? "default", accepted: window.accepted, isOver: window.isOver, end: window.end)
    }

    /// The windows of one limit.
    private struct Windows: Sendable {
        private var open: [String?: Window] = [:]
        /// The windows in the order of their beginnings. They all have the same length, so the first one ends first.
        private var order: Deque<(group: String?, end: Instant)> = []

        var count: Int { open.count }

        mutating func count(_ group: String?, _ limit: RateLimit, at now: Instant) -> Window {
            while let first = order.first, first.end <= now {
                order.removeFirst()
                open[first.group] = nil
            }
            if open[group] == nil {
                let end = now + limit.within
                open[group] = Window(end: end)
                order.append((group, end))
            }
            return open[group, default: Window(end: now)].counted(limit.requests)
        }
    }

    private struct Window: Sendable {
        let end: Instant
        /// The number of accepted requests.
        private(set) var accepted = 0
        /// Whether the last request was beyond the limit.
        private(set) var isOver = false

        /// Counts a request and returns the result.
        mutating func counted(_ limit: Int) -> Window {
            isOver = accepted >= limit
            if !isOver { accepted += 1 }
            return self
        }
    }
}

/// The state of a limit after a request was counted.
struct RateUsage: Sendable {
    let limit: RateLimit
    /// The limit's name: `default`, or the operation whose own it is.
    let policy: String
    /// The number of requests accepted in the window, this one included.
    let accepted: Int
    /// Whether this request is beyond the limit.
    let isOver: Bool
    /// The end of the window by the session's clock.
    let end: Instant

    /// The number of requests that the window still accepts.
    private var remaining: Int { max(0, limit.requests - accepted) }

    /// The seconds until the window is over, at least 1.
    func secondsLeft(at now: Instant) -> Int64 { max(1, ((end - now).nanoseconds + 999_999_999) / 1_000_000_000) }

    /// The headers of the response.
    func headers(at now: Instant) -> [JournalEntry.Header] {
        let values: [String]
        switch limit.headers {
        case .ietf:
            let name = structuredString(of: policy)
            values = [
                "\(name);q=\(limit.requests);w=\(limit.within.components.seconds)",
                "\(name);r=\(remaining);t=\(secondsLeft(at: now))",
            ]
        // The window's end in seconds since 1970, as GitHub sends it.
        case .x: values = ["\(limit.requests)", "\(remaining)", "\(end.seconds + (end.nanosecondOfSecond > 0 ? 1 : 0))"]
        case .none: values = []
        }
        return zip(limit.headers.names, values).map { JournalEntry.Header($0, $1) }
    }

    /// The reason for the rejection, for the caller.
    var reason: String {
        "the bank accepts \(counted(limit.requests, "request")) in \(limit.within.shortText) for each \(limit.per.rawValue)"
    }
}

/// Counts the requests of one intent, as far as the bank can recognise it: of one customer, the same key, or else the same operation and
/// body.
struct AttemptCounter: Sendable {
    /// By a hash of operation, customer, and key or body: these come from outside, and none is stored only for being counted.
    private var counts: [Int: Int] = [:]

    /// The largest number of intents; counting begins again after it.
    private static let largestCount = 100_000

    /// Counts a request and returns its number, from 1.
    mutating func count(operation: Int, customer: String?, key: String?, body: [UInt8]) -> Int {
        if counts.count >= AttemptCounter.largestCount { counts = [:] }
        var hasher = Hasher()
        hasher.combine(operation)
        hasher.combine(customer)
        if let key { hasher.combine(key) } else { hasher.combine(body) }
        let intent = hasher.finalize()
        let number = counts[intent, default: 0] + 1
        counts[intent] = number
        return number
    }
}
