import BankModel
import Platform

/// The response of a client that is run once for each step: its stdout and its exit status.
package enum OneShotAnswer {
    /// The end of the process.
    package enum Status: Sendable, Hashable {
        case exited(Int)
        /// Terminated otherwise, such as by a signal; described in words.
        case other(String)
    }

    /// Parses the result: 0 with the view on stdout, 1 with the error's name or `silent` first on stdout (and
    /// behind `silent` the error that the client received, if any), 127 with `unsupported`.
    ///
    /// - Throws: the finding and the expectation, for any other response.
    package static func result(status: Status, output: [UInt8]) throws(ProtocolError) -> StepResult {
        guard let text = String(validUTF8: output) else {
            throw ProtocolError("found bytes on stdout that are not UTF-8, expected UTF-8")
        }
        let words = text.split(maxSplits: 1, whereSeparator: \.isWhitespace)
        let shown = words.isEmpty ? "nothing" : "`\(text.prefix(200))`"
        switch status {
        case .exited(0):
            guard let view = try? JSON(parsing: text), view.object != nil else {
                throw ProtocolError("found \(shown) on stdout with exit status 0, expected the view, a JSON object")
            }
            return .ok(view: view)
        case .exited(1):
            guard let name = words.first else {
                throw ProtocolError("found nothing on stdout with exit status 1, expected the error's name first: \(ClientError.names)")
            }
            if name == "silent" {
                return .silent(error: words.count > 1 ? try ClientError.checked(words[1].trimmingBlanks).rawValue : nil)
            }
            let error = try ClientError.checked(String(name))
            let detail = words.count > 1 ? words[1].trimmingBlanks : ""
            return .error(error.rawValue, detail: detail.isEmpty ? nil : detail)
        case .exited(127):
            guard words == ["unsupported"] else {
                throw ProtocolError(
                    "found \(shown) on stdout with exit status 127, expected `unsupported` (a shell also exits with 127 for a program "
                        + "that it cannot find)")
            }
            return .unsupported
        case .exited(let code): throw ProtocolError("found exit status \(code) with \(shown) on stdout, expected 0, 1 or 127")
        case .other(let how): throw ProtocolError("found a process that \(how), expected an exit with status 0, 1 or 127")
        }
    }
}

extension Substring {
    fileprivate var trimmingBlanks: String {
        String(drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
    }
}

extension ClientError {
    static var names: String { oneOf(allCases.map(\.rawValue)) }

    /// The error with that name.
    static func checked(_ name: String) throws(ProtocolError) -> ClientError {
        if let error = ClientError(rawValue: name) { return error }
        let hint = didYouMean(name, among: allCases.map(\.rawValue))
        throw ProtocolError("found the error `\(name.prefix(60))`, expected \(names)\(hint)")
    }
}
