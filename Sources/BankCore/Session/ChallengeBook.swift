package import BankModel

/// A request that a customer must confirm, and its outcome.
package struct Challenge: Sendable, Hashable {
    package enum Stage: String, Sendable, CaseIterable {
        case pending
        case approved, denied
        /// Too many wrong codes.
        case locked
        case expired
    }

    /// Counted per session, from 1.
    package let number: Int
    package let kind: ChallengeKind
    /// The customer's login.
    package let customer: String
    /// The operation that was requested.
    package let operation: String
    package let beganAt: Instant
    package let expiresAt: Instant
    /// The instant at which it is approved by itself; nil if somebody must approve it.
    package let approvesAt: Instant?
    /// The tokens of the sign-in that has requested it.
    let family: Int?
    package internal(set) var stage = Stage.pending
    /// The number of wrong codes so far.
    package internal(set) var wrongCodes = 0
    /// The request that is executed once this is approved; nil for a read, and once that has been done.
    var held: HeldRequest?
    /// The consent that the customer approves or denies by it; nil for a request.
    var consent: RowID?

    package var id: String { "challenge-\(number)" }

    static func number(id: String) -> Int? { id.hasPrefix("challenge-") ? Int(id.dropFirst("challenge-".count)) : nil }

    /// As it is at an instant: one whose time is over has expired.
    package func at(_ now: Instant) -> Challenge {
        guard stage == .pending, now >= expiresAt else { return self }
        var over = self
        over.end(.expired)
        return over
    }

    /// Ends it; an approved one keeps its request until that has been executed.
    mutating func end(_ stage: Stage) {
        self.stage = stage
        if stage != .approved { held = nil }
    }
}

/// A request that waits for its customer's confirmation, without its credentials: of the headers it has `Content-Type` alone.
struct HeldRequest: Sendable, Hashable {
    let method: String
    let path: String
    let query: String?
    let contentType: String?
    let body: [UInt8]
    /// The idempotency key under which its result is stored.
    let key: IdempotencyBook.ID?

    var request: BankRequest {
        BankRequest(method, path, query: query, headers: contentType.map { [JournalEntry.Header("Content-Type", $0)] } ?? [], body: body)
    }
}

/// A session's challenges.
package struct ChallengeBook: Sendable {
    /// In the order of their numbers.
    package private(set) var all: [Challenge] = []
    /// The latest challenge under each key.
    private var byKey: [IdempotencyBook.ID: Int] = [:]
    /// The indices of those that approve themselves.
    private var waiting: Set<Int> = []
    /// The indices of those whose request is to be executed.
    private var confirmed: Set<Int> = []
    /// The number of bytes of the bodies that are held.
    private(set) var heldBytes = 0

    var newNumber: Int { all.count + 1 }

    package subscript(_ number: Int) -> Challenge? { number > 0 && number <= all.count ? all[number - 1] : nil }

    /// The latest one under a key.
    func challenge(key: IdempotencyBook.ID) -> Challenge? { byKey[key].map { all[$0] } }

    /// The one that approves itself next.
    var nextToApprove: Challenge? {
        waiting.lazy.map { all[$0] }.min { ($0.approvesAt ?? $0.expiresAt, $0.number) < ($1.approvesAt ?? $1.expiresAt, $1.number) }
    }

    /// Those whose request is to be executed, in the order of their numbers.
    var toExecute: [Challenge] { confirmed.sorted().map { all[$0] } }

    /// Adds a new one, or replaces the one with its number.
    mutating func store(_ challenge: Challenge) {
        let index = min(max(challenge.number - 1, 0), all.count)
        if index < all.count {
            forget(index)
            all[index] = challenge
        } else {
            all.append(challenge)
        }
        heldBytes += challenge.held?.body.count ?? 0
        if let key = challenge.held?.key {
            // Under its key a request gets another challenge only once the one before has expired.
            if let before = byKey[key], before != index { expire(before) }
            byKey[key] = index
        }
        if challenge.stage == .pending, let approval = challenge.approvesAt, approval < challenge.expiresAt { waiting.insert(index) }
        if challenge.stage == .approved, challenge.held != nil { confirmed.insert(index) }
    }

    /// Removes the one that was added last.
    mutating func removeLast() {
        guard !all.isEmpty else { return }
        forget(all.count - 1)
        all.removeLast()
    }

    /// Ends one whose time is over; its request is not executed any more.
    private mutating func expire(_ index: Int) {
        forget(index)
        all[index].end(.expired)
    }

    private mutating func forget(_ index: Int) {
        if let key = all[index].held?.key, byKey[key] == index { byKey[key] = nil }
        waiting.remove(index)
        confirmed.remove(index)
        heldBytes -= all[index].held?.body.count ?? 0
    }
}
