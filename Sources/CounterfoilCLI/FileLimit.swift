import Foundation
import Platform

/// How many connections and files a process may have open.
enum FileLimit {
    /// The files that a server needs before the first connection: three for each event loop of the bank and the admin API, listeners,
    /// the state's and the standard streams.
    private static var least: Int { 32 + 8 * ProcessInfo.processInfo.activeProcessorCount }

    /// Raises it to the most that the system lets us have: a bank is to hold thousands of connections.
    ///
    /// - Throws: ``UsageError`` where that is too little for a server: it could not even begin.
    static func raise() throws(UsageError) {
        guard let most = ThisProcess.raiseOpenFileLimit(), most < UInt64(least) else { return }
        throw UsageError("found a limit of \(most) open files, expected \(least) at least: raise it (`ulimit -Hn` and `ulimit -n`)")
    }
}
