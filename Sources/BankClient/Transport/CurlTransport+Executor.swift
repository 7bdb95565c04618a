/// Tasks that run on the transport's own thread, between two looks at its connections:
///
/// ```swift
/// try await withTaskExecutorPreference(transport) { try await sendTenThousandReads() }
/// ```
///
/// For whoever does little but send: no thread is woken for an answer, nor for the next request. What such a task computes keeps
/// every request of the transport waiting.
extension CurlTransport: TaskExecutor {
    public func enqueue(_ job: consuming ExecutorJob) { loop.submit(.run(UnownedJob(job), on: asUnownedTaskExecutor())) }
}
