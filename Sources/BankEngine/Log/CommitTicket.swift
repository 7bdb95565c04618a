import Synchronization

/// Reports when a command is durable, or that it never will be.
package final class CommitTicket: Sendable {
    private let state = Mutex(State())
    private let done = Atomic(false)

    private struct State {
        var result: Result<Void, StoreError>?
        var waiting: [@Sendable (Result<Void, StoreError>) -> Void] = []
    }

    package init() {}

    /// Whether the result is known.
    package var isDone: Bool { done.load(ordering: .acquiring) }

    /// Calls back once: at once if the result is known, otherwise on the thread that determines it.
    package func whenDone(_ body: @escaping @Sendable (Result<Void, StoreError>) -> Void) {
        let result = state.withLock { state in
            if state.result == nil { state.waiting.append(body) }
            return state.result
        }
        if let result { body(result) }
    }

    /// Waits for the result.
    package func wait() async throws(StoreError) {
        let result = await withCheckedContinuation { continuation in whenDone { continuation.resume(returning: $0) } }
        try result.get()
    }

    /// Resumes all who wait. Only the first call counts.
    package func finish(_ result: Result<Void, StoreError>) {
        let waiting = state.withLock { state in
            guard state.result == nil else { return [@Sendable (Result<Void, StoreError>) -> Void]() }
            state.result = result
            defer { state.waiting = [] }
            return state.waiting
        }
        done.store(true, ordering: .releasing)
        for body in waiting { body(result) }
    }
}
