package import BankModel
import Platform

/// Decides whether to retry, and when. Pure: time and randomness are passed in.
package struct RetryPolicy: Sendable, Hashable {
    /// The number of attempts, the first included.
    package var attempts: Int
    /// The longest wait before the second attempt; it doubles before each further one.
    package var base: Duration
    /// The longest wait that this client chooses by itself.
    package var cap: Duration
    /// The time after the first attempt's start at which no attempt begins any more. A `Retry-After` beyond it ends the
    /// attempts.
    package var budget: Duration
    /// The share of each wait's ceiling that is always waited, 0 to 1. 0 is full jitter; from 0.5 each wait is at least as
    /// long as the one before, until the cap.
    package var leastShare: Double

    package init(
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
    package static let never = RetryPolicy(attempts: 1)

    /// For a payment whose key another attempt still holds: growing waits, as nothing is broken, only slow.
    package static let inFlight = RetryPolicy(attempts: 8, base: .milliseconds(200), cap: .seconds(2), leastShare: 0.5)

    /// The wait before the next attempt; nil to give up.
    ///
    /// Full jitter: uniform from 0, or from the least share, to `min(cap, base · 2^n)`. The bank's `Retry-After` is added: a
    /// retry is never earlier than requested, and clients do not all retry in the same instant.
    /// - Parameters:
    ///   - attempt: the number of attempts made.
    ///   - elapsed: the time since the first attempt began.
    ///   - retryAfter: the wait that the bank asks for.
    ///   - chance: a random number, at least 0 and less than 1.
    package func wait(after attempt: Int, elapsed: Duration, retryAfter: Duration?, chance: Double) -> Duration? {
        guard attempt < attempts else { return nil }
        let ceiling = min(cap, base * (1 << min(attempt - 1, 20)))
        let wait = max(.zero, retryAfter ?? .zero) + ceiling * (leastShare + (1 - leastShare) * chance)
        return elapsed + wait <= budget ? wait : nil
    }
}

/// The `RateLimit` of a response (draft-ietf-httpapi-ratelimit-headers): `"default";r=0;t=60`.
package enum RateLimitHeader {
    /// The wait until a quota that is used up is there again; nil if none is, or the header is missing or unreadable.
    package static func wait(_ headers: HTTPHeaders) -> Duration? {
        let waits = (headers["RateLimit"] ?? "").split(separator: ",").compactMap { limit -> Int64? in
            let parameters = limit.split(separator: ";").dropFirst().map { $0.filter { $0 != " " } }
            guard parameters.contains("r=0") else { return nil }
            return parameters.first { $0.hasPrefix("t=") }.flatMap { Int64($0.dropFirst(2)) }
        }
        return waits.max().map { .seconds(min(max($0, 0), 1_000_000_000)) }
    }
}

/// The `Retry-After` of a response (RFC 9110 §10.2.3).
package enum RetryAfterHeader {
    /// The wait from now: seconds, or an HTTP date, relative to the bank's own `Date` if it sends one, as the device's clock
    /// may be wrong. Without the header, the time until a rate limit ends. nil if neither is there, or the header is unreadable.
    package static func wait(_ headers: HTTPHeaders, now: Instant) -> Duration? {
        guard let text = headers["Retry-After"] else { return RateLimitHeader.wait(headers) }
        if text.isDigits {
            // A number of seconds that overflows is certainly too long.
            return .seconds(min(Int64(text) ?? .max, 1_000_000_000))
        }
        guard let date = HTTPDate.instant(text, now: now) else { return nil }
        let theirs = headers["Date"].flatMap { HTTPDate.instant($0, now: now) } ?? now
        return max(.zero, date - theirs)
    }
}

/// The number of retries that a client makes in all while its bank fails, whatever each call's ``RetryPolicy`` allows.
///
/// Every retry uses one, and every success earns one back. In an outage the budget is soon used up, and each call is sent once: the
/// client adds no load to a bank that is down, and continues as soon as one call succeeds.
package final class RetryBudget: Sendable {
    private let most: Int
    private let left: Locked<Int>

    /// - Parameter most: the budget at the beginning, and the most that successes restore.
    package init(_ most: Int = 25) {
        self.most = most
        left = Locked(most)
    }

    /// Uses one retry; false if the budget is used up.
    package func spend() -> Bool {
        left.withLock { left in
            guard left > 0 else { return false }
            left -= 1
            return true
        }
    }

    /// Earns one retry, after a success.
    package func earn() { left.withLock { $0 = min(most, $0 + 1) } }
}
