import Dispatch
import Foundation

/// Removes a folder before Ctrl-C, SIGTERM, or SIGHUP of a terminal that is closed ends the process.
final class RemovalAtSignal {
    private let sources: [any DispatchSourceSignal]

    /// Watches over the folder until ``end()``.
    init(of folder: URL) {
        sources = [SIGINT, SIGTERM, SIGHUP].map { number in
            // The source gets it instead.
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler {
                try? FileManager.default.removeItem(at: folder)
                signal(number, SIG_DFL)
                kill(getpid(), number)
            }
            source.activate()
            return source
        }
    }

    /// The signals end the process at once again.
    func end() {
        for source in sources { source.cancel() }
        for number in [SIGINT, SIGTERM, SIGHUP] { signal(number, SIG_DFL) }
    }
}
