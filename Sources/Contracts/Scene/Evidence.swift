package import BankModel
package import DriverProtocol
package import Faults

/// All that is known of one run of an instance, from which its verdict follows.
package struct Evidence: Sendable {
    /// By the steps' numbers; a step that was never begun is not here.
    package var steps: [Int: StepReport] = [:]
    package var journal: [JournalEntry] = []
    /// How many entries the bounded journal dropped: nothing follows from an exchange that is not in it.
    package var dropped = 0
    package var movements: [Movement] = []
    package var rules: [ArmedRule] = []
    /// The plans that were started, each with the seed by which it decides.
    package var outages: [Outage] = []
    package var foundSecrets: [FoundSecret] = []
    /// The files that the searches for secrets left out, or searched only in part.
    package var unsearched: [Unsearched] = []
    /// A failure outside the client, or before it was ready; there is no result for the client.
    package var harnessTrouble: String?
    /// Why this machine cannot do a step of the case; nil if it can.
    package var beyondMachine: String?
    /// A failure of the client's process: it hung, or exited.
    package var clientTrouble: String?
    /// The last of what the driver wrote to stderr.
    package var stderr = ""
    package var seed: UInt64 = 0
    package var baseURL = ""
    /// The bank's own views of each operation, for the customer who signs in.
    package var expected: [DriverOperation: JSON] = [:]
    /// The same for each other customer of the bank, by login.
    package var othersViews: [String: [DriverOperation: JSON]] = [:]
    /// The arguments of each step, including those that the case leaves open.
    package var arguments: [Int: JSON] = [:]
    /// The customer of each token, by the token's id.
    package var owners: [String: String] = [:]
    /// The attempts to deliver webhooks to the client's receiver, in order.
    package var deliveries: [WebhookAttempt] = []
    /// What the harness did on the bank's sign-in page in the customer's place.
    package var visits: [PageVisit] = []
    /// The steps `kill` in which the client was not killed, because no request came that the bank's rule for the kill was applied to: all
    /// went as if the step had been the operation alone.
    package var missedKills: Set<Int> = []
    /// The customer whose approval each `authorize_finish` handed to the client, by the step's number.
    package var approvals: [Int: String] = [:]
    /// How far the machine's wall clock, which clients read, was set while the case ran; at least.
    package var clockWasSet = Duration.zero

    package init(
        steps: [Int: StepReport] = [:], journal: [JournalEntry] = [], dropped: Int = 0, harnessTrouble: String? = nil,
        clientTrouble: String? = nil, seed: UInt64 = 0, baseURL: String = "", expected: [DriverOperation: JSON] = [:]
    ) {
        self.steps = steps
        self.journal = journal
        self.dropped = dropped
        self.harnessTrouble = harnessTrouble
        self.clientTrouble = clientTrouble
        self.seed = seed
        self.baseURL = baseURL
        self.expected = expected
    }

    /// A plan that was started.
    package struct Outage: Sendable, Hashable {
        package var name: String
        package var seed: UInt64

        package init(name: String, seed: UInt64) {
            self.name = name
            self.seed = seed
        }
    }

    /// The requests of a browser that a step `browser` played: they are not the client's.
    package struct PageVisit: Sendable, Hashable {
        package var step: Int
        /// The numbers of its exchanges; the first opened the address that the client had made.
        package var exchanges: [Int]
        /// The ids of the movements that the customer's decision has made there, of those without an idempotency key.
        package var movements: [String]

        package init(step: Int, exchanges: [Int], movements: [String] = []) {
            self.step = step
            self.exchanges = exchanges
            self.movements = movements
        }
    }

    /// A rule that a step set, and how often it was applied.
    package struct ArmedRule: Sendable {
        package var step: Int
        package var id: String
        package var rule: Rule
        package var applied: Int

        package init(step: Int, id: String, rule: Rule, applied: Int) {
            self.step = step
            self.id = id
            self.rule = rule
            self.applied = applied
        }
    }

    /// The same evidence, with each error that the client received and did not show counted as shown.
    var showingErrors: Evidence {
        var shown = self
        for case (let n, .silent(let error?)) in steps.mapValues(\.outcome) { shown.steps[n]?.outcome = .error(error, detail: nil) }
        return shown
    }

    /// A file of the client that a search for secrets left out, or searched only in part.
    package struct Unsearched: Sendable, Hashable {
        /// The file below the state directory.
        package var path: String
        /// The reason, such as `a pipe`.
        package var reason: String
        /// Whether the part that was not searched may contain a secret: a pipe, a socket or a device stores nothing.
        package var mayHoldSecret: Bool
        /// The step after which the search was made; ``Finding/atEnd`` for the one after the case.
        package var after: Int

        package init(path: String, reason: String, mayHoldSecret: Bool, after: Int) {
            self.path = path
            self.reason = reason
            self.mayHoldSecret = mayHoldSecret
            self.after = after
        }

        /// Both in one line: `cache/pipe: a pipe`.
        package var text: String { "\(path): \(reason)" }
    }

    /// A secret text that was found where it must not be.
    package struct FoundSecret: Sendable, Hashable {
        /// A token's id, the field's name and a number for what the bank served, `password#` or `id_token#` and a number.
        package var token: String
        package var kind: Kind
        package var location: Location
        /// The file below the state directory, `stderr`, or the exchange or step whose text it is.
        package var path: String
        /// How the text was written: `raw`, `base64`, `hex`, …
        package var encoding: String
        /// The step after which the scan was made; ``atEnd`` for the one after the case.
        package var after: Int
        /// Whether it was found while that step was under way.
        package var isDuring: Bool
        /// The permission bits of the file, if it is one.
        package var mode: Int?

        /// Where it is, in words that do not reveal the secret: `token#1 is in session.json, base64`.
        var text: String { "\(token) is in \(path), \(encoding)" }

        /// The ``path`` of what the driver writes to its log.
        package static let log = "stderr"
        /// The value of ``after`` for the scan that is made when the client has ended the case.
        package static let atEnd = Int.max

        /// The kind of location.
        package enum Location: String, Sendable, Hashable {
            case disk
            /// The client's stderr, or the detail of an error.
            case log
            /// A request's path or query.
            case address
        }

        /// The kind of secret.
        package enum Kind: Sendable, Hashable {
            /// An access or refresh token.
            case token
            /// A text that the bank served in a field that it calls sensitive.
            case data
            case password
            /// The ID token of a sign-in (OpenID Connect Core 1.0 §2).
            case idToken
            /// The code verifier of a sign-in (RFC 7636 §4.1).
            case verifier
        }

        package init(
            token: String, kind: Kind = .token, location: Location, path: String, encoding: String, after: Int, isDuring: Bool = false
        ) {
            self.token = token
            self.kind = kind
            self.location = location
            self.path = path
            self.encoding = encoding
            self.after = after
            self.isDuring = isDuring
        }
    }
}

/// How one step went, with its times by the machine's monotonic clock, in nanoseconds.
package struct StepReport: Sendable, Hashable {
    package var outcome: StepOutcome
    /// When it was sent.
    package var started: Int64
    /// When its result was read.
    package var ended: Int64
    /// Free text that the driver sent with the result.
    package var note: String?

    package init(_ outcome: StepOutcome, started: Int64, ended: Int64, note: String? = nil) {
        self.outcome = outcome
        self.started = started
        self.ended = ended
        self.note = note
    }

    /// The time in which it was under way.
    var span: ClosedRange<Int64> { started...max(started, ended) }
}

/// How one step ended.
package enum StepOutcome: Sendable, Hashable {
    case ok(view: JSON)
    case error(String, detail: String?)
    /// The client showed the user nothing: neither data nor an error. The error is the one that its code received, if the driver names it.
    case silent(error: String? = nil)
    case unsupported
    /// No answer within the step's limit.
    case hung
    /// The process went away.
    case crashed
    /// The harness killed the process in the middle, as the case demands.
    case killed
    /// A step of the bank or the harness, done.
    case done
    /// A `login` on a bank without tokens, or one that a receiver of webhooks need not have; a change of files where the client keeps none.
    case skipped
}

extension StepOutcome: CustomStringConvertible {
    package var description: String {
        switch self {
        case .ok(let view): "ok \(StepOutcome.text(view))"
        case .error(let name, let detail): "error \(name)" + (detail.map { " (\(clipped($0, to: 200)))" } ?? "")
        case .silent(let error):
            "silent (the client showed nothing, neither data nor an error" + (error.map { "; its code received the error \($0))" } ?? ")")
        case .unsupported: "unsupported"
        case .hung: "hung"
        case .crashed: "crashed"
        case .killed: "killed"
        case .done: "done"
        case .skipped: "skipped"
        }
    }

    /// The beginning of a view, and the marks that its end may have.
    private static func text(_ view: JSON) -> String {
        let (whole, shown) = (view.text, clipped(view.text, to: 300))
        guard shown != whole else { return whole }
        let marks = ["complete", "stale"].compactMap { name in view[name]?.bool.map { "\(name): \($0)" } }
        return marks.isEmpty ? shown : "\(shown) with \(marks.joined(separator: ", "))"
    }
}

/// The text, cut to `limit` characters, as Unicode counts scalars: a grapheme can have any number of these.
func clipped(_ text: String, to limit: Int) -> String {
    text.unicodeScalars.dropFirst(limit).first == nil ? text : String(text.unicodeScalars.prefix(limit)) + "…"
}
