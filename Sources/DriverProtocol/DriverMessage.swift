package import BankModel

/// A line from a driver to the harness.
package enum DriverMessage: Sendable, Hashable {
    case hello(DriverHello)
    case ready(case: String)
    /// `note` is free text of the driver's, shown in reports.
    case result(case: String, n: Int, StepResult, note: String? = nil)
    case ended(case: String)
}

/// What a driver says of its client.
package struct DriverHello: Sendable, Hashable {
    package var version: Int
    /// The harness's own, sent back.
    package var nonce: String
    /// Name and version, such as `acme-bank 2.1`.
    package var client: String
    /// The banks it speaks; nil means all.
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

    /// The version of the protocol spoken here.
    package static let currentVersion = 1
}

/// How one step ended, in the driver's words.
package enum StepResult: Sendable, Hashable {
    /// What a person would be shown, normalised.
    case ok(view: JSON)
    /// `error` is a name of ``ClientError``; `detail` is free text.
    case error(String, detail: String?)
    /// The client showed the person nothing: neither data nor an error.
    case silent
    case unsupported
}
