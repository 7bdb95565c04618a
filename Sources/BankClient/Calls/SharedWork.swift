import Platform

/// Work that is done once, however many tasks wait for it.
///
/// A waiting task that is cancelled leaves at once, and the work continues for the others. ``Abandoned`` decides whether it also
/// continues when nothing waits any longer.
final class SharedWork<Value: Sendable>: Sendable {
    /// The effect of the last waiting task's departure.
    enum Abandoned {
        /// The work continues to its end.
        case goesOn
        /// The work is cancelled; the last task stays to receive its value.
        case isCalledOff
    }

    /// The ticket of one waiting task.
    struct Ticket: Sendable, Hashable { fileprivate var number: Int }

    private struct State {
        var value: Value?
        var task: Task<Void, Never>?
        var isCalledOff = false
        var lastNumber = 0
        /// The tickets for which the work is done.
        var present: Set<Int> = []
        /// The tickets cancelled before they began to wait.
        var left: Set<Int> = []
        var waiting: [Int: CheckedContinuation<Value?, Never>] = [:]
    }

    private let abandoned: Abandoned
    private let state = Locked(State())

    /// Begins the work in a new task.
    init(whenAbandoned abandoned: Abandoned, _ body: @escaping @Sendable () async -> Value) {
        self.abandoned = abandoned
        let task = Task { self.end(await body()) }
        state.withLock { state in
            if state.value == nil { state.task = task }
        }
    }

    /// A ticket among the waiting tasks; nil if the work has been cancelled.
    func join() -> Ticket? {
        state.withLock { state in
            guard !state.isCalledOff else { return nil }
            let ticket = SharedWork.ticket(&state)
            state.present.insert(ticket.number)
            return ticket
        }
    }

    /// The work's value; nil if the task with this ticket was cancelled and has left.
    func value(at ticket: Ticket) async -> Value? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let now: Value?? = state.withLock { state in
                    if let value = state.value { return .some(value) }
                    if state.left.remove(ticket.number) != nil { return .some(nil) }
                    state.waiting[ticket.number] = continuation
                    return nil
                }
                if let now { continuation.resume(returning: now) }
            }
        } onCancel: {
            leave(ticket)
        }
    }

    /// Waits for the end of work that is done for other tasks.
    ///
    /// - Returns: false if the waiting task was cancelled before that.
    func hasEnded() async -> Bool {
        await value(at: state.withLock { SharedWork.ticket(&$0) }) != nil
    }

    private static func ticket(_ state: inout State) -> Ticket {
        state.lastNumber += 1
        return Ticket(number: state.lastNumber)
    }

    private func leave(_ ticket: Ticket) {
        let (continuation, task) = state.withLock { state -> (CheckedContinuation<Value?, Never>?, Task<Void, Never>?) in
            guard state.value == nil else { return (nil, nil) }
            if abandoned == .isCalledOff, state.present == [ticket.number] {
                state.isCalledOff = true
                return (nil, state.task)
            }
            state.present.remove(ticket.number)
            guard let continuation = state.waiting.removeValue(forKey: ticket.number) else {
                state.left.insert(ticket.number)
                return (nil, nil)
            }
            return (continuation, nil)
        }
        continuation?.resume(returning: nil)
        task?.cancel()
    }

    private func end(_ value: Value) {
        let waiting = state.withLock { state in
            state.value = value
            state.task = nil
            defer { state.waiting = [:] }
            return state.waiting.values
        }
        for continuation in waiting { continuation.resume(returning: value) }
    }
}
