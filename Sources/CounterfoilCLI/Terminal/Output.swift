import BankModel
import Foundation
import Platform

/// The two streams of a command: results on stdout, all that is for people on stderr.
struct Output: Sendable {
    let descriptor: Int32
    /// The colours of what is written, if the stream gets any.
    var paint = Paint.none

    static let results = Output(descriptor: STDOUT_FILENO)
    static let errors = Output(descriptor: STDERR_FILENO, paint: .messages)

    static let report = Output(descriptor: STDOUT_FILENO, paint: .report)

    /// Writes the whole text, without what would steer a terminal but its colours, or give commands to a CI: part of it may come
    /// from a server, a driver or a file. A closed stream is not an error.
    ///
    /// Results that can only be written in part, as on a full disk, end the command with code 2 after an error message: a program that reads
    /// the file must not take it for all there is.
    func write(_ text: String) { write(commands: text.withoutCommands) }

    /// As ``write(_:)``, for a text whose workflow commands are meant: other texts in it are within a command, or where none is taken.
    func write(commands text: String) {
        let shown = text.withoutControls
        let painted = isColoured ? paint.applied(to: shown) : shown
        guard let failure = Disk.put(Array(painted.utf8), descriptor), descriptor == STDOUT_FILENO, failure != EPIPE, failure != EBADF
        else { return }
        Output.errors.error("cannot write the result: \(String(cString: strerror(failure)))")
        exit(2)
    }

    /// Steers the terminal: writes the text as it is.
    func steer(_ text: String) { _ = Disk.put(Array(text.utf8), descriptor) }

    /// Writes the text and a line's end.
    func line(_ text: String) { write(text + "\n") }

    /// Whether a user may be looking.
    var isTerminal: Bool { isatty(descriptor) == 1 }

    /// Whether a line can be rewritten in place.
    var isSteerable: Bool { isTerminal && ThisProcess.variable("TERM") != "dumb" }

    /// The terminal's width now; nil if the stream is not a terminal, or its width is unknown.
    var columns: Int? { Terminal.columns(of: descriptor) }

    /// Whether the stream gets colours.
    var isColoured: Bool { Colour.isWanted(isTerminal: isTerminal, variable: ThisProcess.variable) }

    /// Writes what went wrong, and below it what to do.
    func error(_ text: String, hint: String? = nil) { line(Message(text, hint: hint).text) }
}

/// An error for a user: what happened in one line, and below it what to do.
struct Message {
    let error: String
    let hint: String?

    /// - Parameters:
    ///   - text: what happened; a suggestion at its end becomes the hint.
    ///   - hint: what to do; nil if only the text's own suggestion is known.
    init(_ text: String, hint: String? = nil) {
        let suggestion = hint == nil ? Message.suggestion(in: text) : nil
        error = (suggestion.map { String(text[..<$0.lowerBound]) } ?? text).indented
        self.hint = (hint ?? suggestion.map { "did you mean " + text[$0.upperBound...] })?.indented
    }

    /// Both lines, without a line's end.
    var text: String { "error: \(error)" + (hint.map { "\nhint: \($0)" } ?? "") }

    /// The text between a message and its suggestion: that of `didYouMean`, or that of ArgumentParser.
    private static func suggestion(in text: String) -> Range<String.Index>? {
        guard text.hasSuffix("?") else { return nil }
        return ["; did you mean ", ". Did you mean "].compactMap { text.firstRange(of: $0) }.first
    }
}

/// Why a command ends with 2: what is wrong with its command line, its files or its machine.
struct UsageError: Error, CustomStringConvertible {
    let description: String
    /// What to do; nil if the description says it.
    var hint: String?
    /// What is wrong with files, where that is the reason.
    var complaints: [Complaint] = []

    init(_ description: String, hint: String? = nil, because complaints: [Complaint] = []) {
        self.description = description
        self.hint = hint
        self.complaints = complaints
    }

    /// Returns the result of `work`; adds to what is wrong with files what was not done for that.
    static func explaining<Value>(_ failure: String, _ work: () throws -> Value) throws -> Value {
        do { return try work() } catch let error as ComplaintsError { throw UsageError(failure, because: error.complaints) }
    }

    /// The complaints, each on a line, and the error.
    var text: String { (complaints.map(\.description) + [Message(description, hint: hint).text]).joined(separator: "\n") }
}

extension Error {
    /// The reason in the system's words, such as `Permission denied`, where Foundation keeps them under its own words
    /// ("The operation could not be completed. (NSCocoaErrorDomain error 512.)").
    var plainReason: String {
        if let system = self as? POSIXError { return String(cString: strerror(system.code.rawValue)) }
        if let cause = (self as? CocoaError)?.underlying { return cause.plainReason }
        return localizedDescription
    }
}
