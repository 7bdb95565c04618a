/// This process: its program, user, environment, memory and limits.
package enum ThisProcess {
    /// The program's own file, without links; nil if the system does not report it.
    package static var path: String? { Native.programPath.flatMap(Disk.resolved) ?? Disk.resolved(CommandLine.arguments[0]) }

    /// The home of the user's account, as the system's list of accounts has it; nil without one.
    package static var accountHome: String? {
        guard let account = getpwuid(getuid()), let home = account.pointee.pw_dir else { return nil }
        let text = String(cString: home)
        return text.isEmpty ? nil : text
    }

    /// The folder in which programs keep their state, below the user's home; no slash at either end.
    package static let stateFolder = Native.stateFolder

    /// Whether `XDG_STATE_HOME` is the folder in which programs keep their state.
    package static let usesXDG = Native.usesXDG

    /// The machine's name; empty if it has none.
    package static var hostName: String {
        var name = [CChar](repeating: 0, count: 256)
        gethostname(&name, name.count - 1)
        return String(decoding: name.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// The variable of the environment; nil if it is not set or empty.
    package static func variable(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// How many bytes of memory the process occupies; nil where the system does not report it.
    package static var residentBytes: Int? { Native.residentBytes }

    /// How many processors the machine has, also those that this process may not use.
    package static var machineProcessors: Int { max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN)))) }

    /// How many files and sockets are open; nil where the system does not report it.
    package static var openDescriptors: Int? { Native.openDescriptors }

    /// How many threads run; nil where the system does not report it.
    package static var threads: Int? { Native.threads }

    /// How many files and sockets may be open now; nil where the system does not report it.
    package static var openFileLimit: UInt64? { limit.map { UInt64($0.rlim_cur) } }

    /// Raises that limit to the most that the system grants.
    ///
    /// - Returns: the most; nil where the system does not report it.
    package static func raiseOpenFileLimit() -> UInt64? {
        guard var limit else { return nil }
        limit.rlim_cur = min(limit.rlim_max, Native.mostOpenFiles)
        _ = setrlimit(Native.openFiles, &limit)
        return UInt64(limit.rlim_cur)
    }

    private static var limit: rlimit? {
        var limit = rlimit()
        return getrlimit(Native.openFiles, &limit) == 0 ? limit : nil
    }
}

/// The terminal behind a stream.
package enum Terminal {
    /// The terminal's width now, in columns; nil if the stream is not a terminal, or its width is unknown (`TIOCGWINSZ`, tty_ioctl(4)).
    package static func columns(of descriptor: Int32) -> Int? {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return nil }
        return Int(size.ws_col)
    }
}
