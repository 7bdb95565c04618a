/// The thread of a transport, which tasks may choose to run on; it ends when neither the transport nor a task holds it.
final class CurlThread: TaskExecutor {
    let loop: CurlLoop

    init(_ common: CurlCommon) {
        loop = CurlLoop(common)
        loop.start()
    }

    deinit { loop.stop() }

    func enqueue(_ job: consuming ExecutorJob) { loop.submit(.run(UnownedJob(job), on: asUnownedTaskExecutor())) }
}
