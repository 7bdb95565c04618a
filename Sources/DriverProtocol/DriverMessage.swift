package import BankModel

/// A line from a driver to the harness.
package enum DriverMessage: Sendable, Hashable {
    case hello(DriverHello)
    case ready(case: String)
    /// `note` is the driver's free text, shown in reports.
    case result(case: String, n: Int, StepResult, note: String? = nil)
    case ended(case: String)
}

/// A driver's description of its client.
package struct DriverHello: Sendable, Hashable {
    package var version: Int
    /// The harness's own nonce, echoed.
    package var nonce: String
    /// Name and version, such as `acme-bank 2.1`.
    package var client: String
    /// The banks it supports; nil means all.
    package var banks: [String]?
    package var operations: [String]
    package var features: [String]

    package init(
        version: Int = DriverHello.currentVersion, nonce: String, client: String, banks: [String]?, operations: [String], features: [String]
    ) {
        self.version = version
        self.nonce = nonce
        self.client = client
        self.banks = banks
        self.operations = operations
        self.features = features
    }

    /// The version of the protocol implemented here.
    package static let currentVersion = 1
}

/// The result of one step, as the driver reports it.
package enum StepResult: Sendable, Hashable {
    /// The data shown to a user, normalised.
    case ok(view: JSON)
    /// `error` is a name of ``ClientError``; `detail` is free text.
    case error(String, detail: String?)
    /// The client showed neither data nor an error. `error`, a name of ``ClientError``, is the one that its code received and did not show.
    case silent(error: String? = nil)
    case unsupported
}

/// The part of a driver's own words that is kept: a driver that sends megabytes must not fill a report.
extension DriverMessage {
    /// The most characters of one text.
    package static let longestText = 2000

    /// The message with each of its free texts cut to ``longestText``. Views are data: reports show excerpts of them.
    package var bounded: DriverMessage {
        switch self {
        case .hello(var hello):
            hello.nonce = hello.nonce.ofDriver
            hello.client = hello.client.ofDriver
            hello.banks = hello.banks?.map(\.ofDriver)
            hello.operations = hello.operations.map(\.ofDriver)
            hello.features = hello.features.map(\.ofDriver)
            return .hello(hello)
        case .result(let id, let n, .error(let name, let detail), let note):
            return .result(case: id, n: n, .error(name, detail: detail?.ofDriver), note: note?.ofDriver)
        case .result(let id, let n, let result, let note): return .result(case: id, n: n, result, note: note?.ofDriver)
        case .ready, .ended: return self
        }
    }

    /// All of the free text that is sent with a result; nil without any.
    package var freeText: String? {
        guard case .result(_, _, let result, let note) = self else { return nil }
        guard case .error(_, let detail) = result, let detail else { return note }
        return detail + (note.map { "\n\($0)" } ?? "")
    }
}

extension String {
    /// The text, which contains words of a driver's, as messages and reports have it.
    package var ofDriver: String { shortened(to: DriverMessage.longestText) }
}
