package import BankModel

/// A rule that binds a client in every run of every case: no case lists it, and none switches it off without a stated reason.
///
/// A case looks only for what it lists; what moved, whose token was sent and where a secret went is looked at whatever the case
/// is about. A breach is a result of its own, beside that of the case.
package struct Invariant: Sendable {
    /// `invariant.pays-what-was-wished`
    package var id: String
    /// The rule in a sentence.
    package var why: String
    package var level: ContractCase.Level
    /// On what it rests, such as `RFC 6750 §3.1`.
    package var authority: String?
    package var rule: Rule
    package var place: Place

    /// The beginning of every id.
    package static let prefix = "invariant."
    /// The suite of all.
    static let suite = "invariant"

    /// The names that two had before 1.0, in files that were written then, and their present ones.
    private static let renamed = [
        "pays-only-wishes": "no-unrequested-payments", "told-as-it-was": "result-shown-as-received",
    ]

    /// The text with present names in place of earlier ones: a name, or a pattern over ids.
    package static func presentName(_ text: String) -> String { renamed.reduce(text) { $0.replacing($1.key, with: $1.value) } }

    /// How many mutants must show that it can be broken.
    package static let leastMutants = 3

    /// The condition that must hold: a function of the scene, with its bounds.
    package struct Rule: Sendable {
        /// The name by which files call it.
        let name: String
        /// Whether a breach is shown by what there is, such as an entry, a file, or a step's end, so that it is one though the journal
        /// dropped entries. Which order money moved for, and whose a token or a text is, follows from entries that may have been dropped.
        let survivesDroppedEntries: Bool
        let check: @Sendable (Scene) -> Findings

        init(_ name: String, survivesDroppedEntries: Bool = false, check: @escaping @Sendable (Scene) -> Findings) {
            self.name = name
            self.survivesDroppedEntries = survivesDroppedEntries
            self.check = check
        }
    }
}

extension Invariant.Rule {
    /// Every condition without bounds. A new one is its function and a line here.
    static let plain = [
        Self("pays-what-was-wished") { $0.paysWhatWasWished() },
        Self("no-unrequested-payments") { $0.noUnrequestedPayments() },
        Self("own-token-only") { $0.ownTokenOnly() },
        Self("own-data-only") { $0.ownDataOnly() },
        Self("no-secret-in-address", survivesDroppedEntries: true) { $0.noSecretInAddress() },
        Self("no-secret-on-disk-in-clear", survivesDroppedEntries: true) { $0.noSecretOnDiskInClear() },
        Self("no-secret-in-log", survivesDroppedEntries: true) { $0.noSecretInLog() },
        Self("tls-stays-tls", survivesDroppedEntries: true) { $0.tlsStaysTLS() },
        Self("same-wish-same-body", survivesDroppedEntries: true) { $0.sameWishSameBody() },
        Self("other-wish-other-key") { $0.otherWishOtherKey() },
        Self("never-hangs", survivesDroppedEntries: true) { $0.never(.hung) },
        Self("never-dies", survivesDroppedEntries: true) { $0.never(.crashed) },
        Self("result-shown-as-received") { $0.resultShownAsReceived() },
        Self("no-foreign-host") { $0.noForeignHost() },
    ]

    /// - Parameter mode: the permission bits that a file with a secret may have.
    static func filesPrivate(mode: Int) -> Self {
        Self("files-private", survivesDroppedEntries: true) { $0.filesPrivate(mode: mode) }
    }

    /// - Parameters:
    ///   - requests: how many requests a step may cause.
    ///   - pages: how many a list that comes in pages.
    static func bounded(requests: Int, pages: Int) -> Self { Self("bounded") { $0.bounded(requests: requests, pages: pages) } }
}
