import Foundation

/// How a client process is started.
struct DriverStart: Sendable {
    /// Its working directory, `HOME` and `TMPDIR`.
    var home: URL
    var stderr: StderrTail
    /// The user's locale, which the process finds in `LANG` and `LC_ALL`; nil leaves these as they are.
    var locale: String?
    /// Whether writes to its files may fail: it then ignores the signal that the system sends with such a failure, which is not part of a
    /// full disk.
    var mayBlockWrites = false
    /// Whether they fail from the start.
    var blocksWrites = false
}

extension DriverCommand {
    /// The command, started by a shell that sets the limit on files and then becomes it: no write can come before.
    func blockingWrites(_ blocks: Bool) -> DriverCommand {
        let limit = blocks ? "ulimit -S -f 0; " : ""
        return within(["/bin/sh", "-c", "trap '' XFSZ; \(limit)exec \"$@\"", "sh"])
    }
}
