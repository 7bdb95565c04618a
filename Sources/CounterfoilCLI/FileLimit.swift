import Foundation
import Platform

/// How many connections and files a process may have open.
enum FileLimit {
    /// The files that a server needs before the first connection: three for each event loop of the bank and the admin API, listeners,
    /// the state's and the standard streams.
    private static func least(processors: Int) -> Int { 32 + 8 * processors }

    /// Raises it to the most that the system lets us have: a bank is to hold thousands of connections.
    ///
    /// - Throws: ``UsageError`` where that is too little for a server: it could not even begin.
    static func raise() throws(UsageError) {
        // Counting the processors of this process opens files, and takes a thirtieth of the time to a bank's first response.
        guard let most = ThisProcess.raiseOpenFileLimit(), most < UInt64(least(processors: ThisProcess.machineProcessors)) else { return }
        let least = least(processors: ProcessInfo.processInfo.activeProcessorCount)
        guard most < UInt64(least) else { return }
        throw UsageError("found a limit of \(most) open files, expected at least \(least): raise it (`ulimit -Hn` and `ulimit -n`)")
    }
}
