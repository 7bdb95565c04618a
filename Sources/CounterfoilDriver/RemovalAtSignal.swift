import Foundation
import Synchronization

/// Removes a folder before a signal ends the process: Ctrl-C, SIGTERM, or SIGHUP of a terminal that is closed. A signal that is ignored stays
/// so.
enum RemovalAtSignal {
    /// The end of the pipe to which the handler writes the signal's number; -1 before there is one.
    private static let reporting = Atomic<Int32>(-1)

    /// Watches over a folder until the process ends. A second one is not watched over.
    static func watch(_ folder: URL) {
        var ends: [Int32] = [-1, -1]
        // It also initialises `reporting`: no signal handler may run the lazy initialiser of a static property.
        guard reporting.load(ordering: .sequentiallyConsistent) == -1, pipe(&ends) == 0 else { return }
        reporting.store(ends[1], ordering: .sequentiallyConsistent)
        let reported = ends[0]
        Thread {
            var number: UInt8 = 0
            while read(reported, &number, 1) != 1 { guard errno == EINTR else { return } }
            try? FileManager.default.removeItem(at: folder)
            signal(Int32(number), SIG_DFL)
            kill(getpid(), Int32(number))
        }.start()
        for number in [SIGINT, SIGTERM, SIGHUP] where !isIgnored(number) {
            signal(number) { RemovalAtSignal.report($0) }
        }
    }

    /// The handler, which may call only what is async-signal-safe (signal-safety(7)): lock-free atomics and `write`.
    private static func report(_ number: Int32) {
        var byte = UInt8(truncatingIfNeeded: number)
        _ = write(reporting.load(ordering: .sequentiallyConsistent), &byte, 1)
    }

    private static func isIgnored(_ number: Int32) -> Bool {
        let handler = signal(number, SIG_IGN)
        signal(number, handler)
        return unsafeBitCast(handler, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
    }
}
