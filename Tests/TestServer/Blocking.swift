import Foundation

/// Runs blocking or long work on a separate thread: those of Swift's pool, and of Dispatch's, are as few as the machine's cores.
package func blocking<Value: Sendable, Failure: Error>(
    _ work: @escaping @Sendable () throws(Failure) -> Value
) async throws(Failure) -> Value {
    let result = await withCheckedContinuation { (continuation: CheckedContinuation<Result<Value, Failure>, Never>) in
        Thread { continuation.resume(returning: Result(catching: work)) }.start()
    }
    return try result.get()
}
