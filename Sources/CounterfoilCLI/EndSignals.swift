import Platform
import UnixSignals

/// The signals that end a command gracefully: Ctrl-C, SIGTERM, and SIGHUP of a terminal that is closed.
enum EndSignals {
    /// Catches them from now on.
    ///
    /// A SIGHUP that is ignored, as under `nohup`, stays so.
    static func caught() async -> UnixSignalsSequence {
        let before = signal(SIGHUP, SIG_IGN)
        let isIgnored = unsafeBitCast(before, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self)
        if isIgnored { return await UnixSignalsSequence(trapping: .sigterm, .sigint) }
        return await UnixSignalsSequence(trapping: .sigterm, .sigint, .sighup)
    }
}
