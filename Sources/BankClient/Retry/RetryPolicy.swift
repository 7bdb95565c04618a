public import BankModel

/// Whether to try again, and when. Pure: time and chance are handed in.
public struct RetryPolicy: Sendable, Hashable {
    /// Attempts in all, the first included.
    public var attempts: Int
    /// The wait before the second attempt is at most this; before each further one at most twice as much as before.
    public var base: Duration
    /// No wait of our own choosing is longer.
    public var cap: Duration
    /// From the first attempt's start: no attempt begins later. A bank that asks for a longer wait is not waited for.
    public var budget: Duration
    /// The share of each wait's ceiling that is always waited, 0 to 1. 0 is full jitter; from a half on each wait is at
    /// least as long as the one before, until the cap.
    public var leastShare: Double

    public init(
        attempts: Int = 4, base: Duration = .milliseconds(100), cap: Duration = .seconds(1), budget: Duration = .seconds(8),
        leastShare: Double = 0
    ) {
        self.attempts = attempts
        self.base = base
        self.cap = cap
        self.budget = budget
        self.leastShare = leastShare
    }

    /// One attempt only.
    public static let never = RetryPolicy(attempts: 1)

    /// For a payment whose key another attempt still holds: pauses that grow, as nothing is broken, only slow.
    public static let inFlight = RetryPolicy(attempts: 8, base: .milliseconds(200), cap: .seconds(2), leastShare: 0.5)

    /// How long to wait before the next attempt; nil to give up.
    ///
    /// Full jitter: evenly from nothing, or from the least share, to `min(cap, base · 2^n)`. What the bank asks for comes on top: never earlier,
    /// and not all clients in the same instant.
    /// - Parameters:
    ///   - attempt: how many attempts have been made.
    ///   - elapsed: since the first began.
    ///   - retryAfter: the bank's wish.
    ///   - chance: 0 up to 1.
    public func wait(after attempt: Int, elapsed: Duration, retryAfter: Duration?, chance: Double) -> Duration? {
        guard attempt < attempts else { return nil }
        let ceiling = min(cap, base * (1 << min(attempt - 1, 20)))
        let wait = max(.zero, retryAfter ?? .zero) + ceiling * (leastShare + (1 - leastShare) * chance)
        return elapsed + wait <= budget ? wait : nil
    }
}

/// The `Retry-After` of an answer (RFC 9110 §10.2.3).
public enum RetryAfter {
    /// How long to wait from now: seconds, or an HTTP date, measured by the bank's own `Date` where it sends one, as the
    /// device's clock may be wrong. nil if there is none, or none that can be read.
    public static func wait(_ headers: HTTPHeaders, now: Instant) -> Duration? {
        guard let text = headers["Retry-After"] else { return nil }
        if !text.isEmpty, text.utf8.allSatisfy((UInt8(ascii: "0")...UInt8(ascii: "9")).contains) {
            // More seconds than a number holds are certainly too many.
            return .seconds(min(Int64(text) ?? .max, 1_000_000_000))
        }
        guard let date = HTTPDate.instant(text, now: now) else { return nil }
        let theirs = headers["Date"].flatMap { HTTPDate.instant($0, now: now) } ?? now
        return max(.zero, date - theirs)
    }
}
