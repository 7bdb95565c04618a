#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The two streams of a command: results on stdout, all that is for people on stderr.
struct Output: Sendable {
    let descriptor: Int32

    static let results = Output(descriptor: STDOUT_FILENO)
    static let errors = Output(descriptor: STDERR_FILENO)

    /// Writes the whole text; a closed stream is nobody's fault.
    func write(_ text: String) {
        var bytes = Array(text.utf8)[...]
        while !bytes.isEmpty {
            let written = bytes.withUnsafeBytes { systemWrite(descriptor, $0.baseAddress, $0.count) }
            if written < 0 && errno == EINTR { continue }
            guard written > 0 else { return }
            bytes = bytes.dropFirst(written)
        }
    }

    /// Writes the text and a line's end.
    func line(_ text: String) { write(text + "\n") }

    /// Whether a person may be looking.
    var isTerminal: Bool { isatty(descriptor) == 1 }
}

/// The system's `write`, which a member of that name hides.
private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int { write(descriptor, bytes, count) }
