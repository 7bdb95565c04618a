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
