import Atomics
import BankModel
import Foundation
import Platform

/// Files that a command writes beside their destination, and moves there once all are written.
///
/// An error, Ctrl-C, SIGTERM or SIGHUP before that removes them.
enum StagedFiles {
    /// The number of commands that have staged files now.
    private static let running = ManagedAtomic(0)
    /// The signal that has arrived meanwhile; 0 if none has.
    private static let arrived = ManagedAtomic<Int32>(0)

    /// Runs work, then removes what it has left of its staged files. A signal that arrives meanwhile ends the process after that.
    ///
    /// - Parameters:
    ///   - path: the destination.
    ///   - word: what the command does, such as `importing`.
    ///   - work: takes the path for the staged files, and calls ``check(_:)`` between its steps.
    static func beside<Value>(
        _ path: String, _ word: String, _ work: (_ staged: String) throws(ComplaintsError) -> Value
    ) throws(ComplaintsError) -> Value {
        // Nobody can guess it: in a folder that others may write to, such as /tmp, they could have put links in its place.
        let staged = "\(path).\(word)-\(getpid())-\(hexadecimal(UInt64.random(in: 0 ... .max)))"
        // Initialises `arrived` too: no signal handler may run the lazy initialiser of a static property.
        try check(path)
        running.wrappingIncrement(ordering: .sequentiallyConsistent)
        for number in [SIGINT, SIGTERM, SIGHUP] where !EndSignals.isIgnored(number) {
            signal(number) { StagedFiles.take($0) }
        }
        defer {
            try? FileManager.default.removeItem(atPath: staged)
            running.wrappingDecrement(ordering: .sequentiallyConsistent)
            let number = arrived.load(ordering: .sequentiallyConsistent)
            if number != 0 { end(number) }
        }
        return try work(staged)
    }

    /// Ends the work here if a signal has asked for it.
    ///
    /// - Parameter path: the destination.
    static func check(_ path: String) throws(ComplaintsError) {
        guard arrived.load(ordering: .relaxed) == 0 else { throw wrong("the command was interrupted: nothing is written", path) }
    }

    /// Makes the folder of a file.
    static func makeFolder(of path: String) throws(ComplaintsError) {
        let folder = path.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
        guard !folder.isEmpty else { return }
        do { try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true) } catch {
            throw wrong("the folder cannot be created: \(error.plainReason)", folder)
        }
    }

    /// Writes a file, and makes its folder.
    static func put(_ bytes: [UInt8], at path: String) throws(ComplaintsError) {
        try makeFolder(of: path)
        // Foundation's own way waits for the disk at each of what may be 20,000 files.
        let file = fopen(path, "wb")
        let isWritten = file.map { fwrite(bytes, 1, bytes.count, $0) == bytes.count } ?? false
        let isClosed = file.map { fclose($0) == 0 } ?? false
        guard isWritten, isClosed else { throw wrong("the file cannot be written: \(String(cString: strerror(errno)))", path) }
    }

    static func move(_ path: String, to destination: String) throws(ComplaintsError) {
        guard rename(path, destination) == 0 else { throw wrong("cannot be moved there: \(String(cString: strerror(errno)))", destination) }
    }

    /// The handler of the signals, which may call only what is async-signal-safe (signal-safety(7)): lock-free atomics, `signal`, `raise`.
    private static func take(_ number: Int32) {
        arrived.store(number, ordering: .sequentiallyConsistent)
        if running.load(ordering: .sequentiallyConsistent) == 0 { end(number) }
    }

    /// Ends the process as the signal does by default.
    private static func end(_ number: Int32) {
        signal(number, SIG_DFL)
        raise(number)
    }
}

/// Makes something of each name.
///
/// - Throws: ``ComplaintsError`` with what is wrong with any of them.
func makeAll<Value>(_ names: [String], _ make: (String) throws(ComplaintsError) -> Value) throws(ComplaintsError) -> [Value] {
    var values: [Value] = []
    var complaints: [Complaint] = []
    for name in names {
        do throws(ComplaintsError) { values.append(try make(name)) } catch { complaints += error.complaints }
    }
    guard complaints.isEmpty else { throw ComplaintsError(complaints) }
    return values
}

/// The error of a file that a command writes.
func wrong(_ message: String, _ path: String) -> ComplaintsError {
    ComplaintsError([Complaint(message, at: SourcePosition(file: path))])
}
