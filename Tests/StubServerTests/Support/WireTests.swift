import Dispatch
import Testing

/// Tests over real sockets. One at a time: their clients block the thread they run on, and some measure time.
@Suite(.serialized) enum WireTests {}

/// Runs blocking or long work on a thread of its own: those of Swift's pool are for tasks that suspend.
func blocking<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
    await withCheckedContinuation { continuation in
        DispatchQueue.global().async { continuation.resume(returning: work()) }
    }
}
