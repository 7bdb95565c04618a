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
    static func presentName(_ text: String) -> String { renamed.reduce(text) { $0.replacing($1.key, with: $1.value) } }

    /// How many mutants must show that it can be broken.
    package static let leastMutants = 3

    /// The condition that must hold, with its bounds.
    package enum Rule: Sendable, Hashable {
        case paysWhatWasWished
        case paysOnlyWishes
        case ownTokenOnly
        case ownDataOnly
        case noSecretInAddress
        case noSecretOnDiskInClear
        case noSecretInLog
        /// The permission bits that a file with a secret may have.
        case filesPrivate(mode: Int)
        case tlsStaysTLS
        case sameWishSameBody
        case otherWishOtherKey
        /// How many requests a step may cause, and a list that comes in pages.
        case bounded(requests: Int, pages: Int)
        case neverHangs
        case neverDies
        case toldAsItWas
        case noForeignHost
    }
}

extension Invariant.Rule {
    /// Looks at a run.
    func check(_ scene: Scene) -> Findings {
        switch self {
        case .paysWhatWasWished: scene.paysWhatWasWished()
        case .paysOnlyWishes: scene.paysOnlyWishes()
        case .ownTokenOnly: scene.ownTokenOnly()
        case .ownDataOnly: scene.ownDataOnly()
        case .noSecretInAddress: scene.noSecretInAddress()
        case .noSecretOnDiskInClear: scene.noSecretOnDiskInClear()
        case .noSecretInLog: scene.noSecretInLog()
        case .filesPrivate(let mode): scene.filesPrivate(mode: mode)
        case .tlsStaysTLS: scene.tlsStaysTLS()
        case .sameWishSameBody: scene.sameWishSameBody()
        case .otherWishOtherKey: scene.otherWishOtherKey()
        case .bounded(let requests, let pages): scene.bounded(requests: requests, pages: pages)
        case .neverHangs: scene.never(.hung)
        case .neverDies: scene.never(.crashed)
        case .toldAsItWas: scene.toldAsItWas()
        case .noForeignHost: scene.noForeignHost()
        }
    }
}
