package import BankModel
package import Contracts
package import DriverProtocol
package import Faults

/// A stub bank as the harness uses it: nothing here depends on sockets.
package protocol TestBank: Sendable {
    /// The banks that can be opened.
    var banks: [BankFacts] { get }

    /// A PEM file of the authority that sessions under TLS are signed by; nil: there are none.
    var caFile: String? { get }

    /// The keys that certificates of sessions under TLS may have, the one in use first, then the backup keys.
    var pins: [String] { get }

    /// Opens a session of a bank with its own address.
    func openSession(_ parameters: SessionParameters) async throws -> any TestSession

    func shutdown() async
}

/// The parameters of a new session.
package struct SessionParameters: Sendable {
    package var bank: String
    package var name: String
    package var seed: UInt64
    /// The only protocol of the session.
    package var wireProtocol = WireProtocol.h1
    /// The start of its clock; nil if it runs from the real time.
    package var clock: Given.Clock?
    /// Whether its port listens from the start; a port that does not stays reserved.
    package var isRefusing = false
    /// Its challenges; nil for those of the bank's definition.
    package var challenges: ChallengeKind?
}

/// One isolated running copy of a bank.
package protocol TestSession: Sendable {
    /// Without a trailing slash.
    var baseURL: String { get }
    var seed: UInt64 { get }
    /// The session's clock now.
    var now: Instant { get }

    /// How far the machine's wall clock was set since the session was opened, at least: the bank does not follow it, but clients read it. The
    /// clock is read at each request and at each call.
    func machineClockWasSet() -> Duration

    /// The normalised views that a conforming client shows this customer (empty: a bank without customers), days in that zone.
    func expectedViews(customer: String, timeZone: String) -> [DriverOperation: JSON]

    /// The arguments of an operation that a case leaves out, for the customer of that login; nil means
    /// the bank's first.
    func defaults(of operation: DriverOperation, customer: String?) -> JSONObject

    /// Issues a token as if the customer had signed in.
    func issueToken(login: String) throws -> (id: String, text: String)

    /// Does something to all tokens of the session.
    func tokens(_ action: StepAction.TokenAction) throws

    /// Makes something happen at the bank, without a request.
    func happen(_ event: BankEvent) throws

    /// Registers or changes the webhook of the client's receiver.
    ///
    /// - Parameter url: the receiver's address, for a registration.
    /// - Returns: the secret, if it is a new one.
    func webhook(_ action: StepAction.WebhookAction, url: String?) throws -> String?

    /// Whether a webhook is being sent, or is due now.
    var isDelivering: Bool { get }

    /// The attempts to deliver webhooks, in order.
    func deliveries() -> [WebhookAttempt]

    /// Approves or denies the latest challenge, as the customer in the bank's own app.
    func decideChallenge(approves: Bool) throws

    /// The key of the newest consent that is authorised; nil if none is.
    var authorisedConsent: String? { get }

    /// Arms a rule.
    ///
    /// - Returns: its id.
    func set(_ rule: Rule) throws -> String

    /// Returns when the ports are open or closed as the rules require.
    func waitForPorts() async

    /// Removes a rule and ends what it holds.
    func remove(rule id: String)

    /// Starts the plan of that name.
    ///
    /// - Returns: its rules by their ids, and the seed by which they decide.
    func start(outage name: String) throws -> (rules: [(id: String, rule: Rule)], seed: UInt64)

    /// Ends the plan that runs.
    func endOutage()

    /// Releases every held exchange.
    func release()

    /// How often each rule was applied, by its id.
    func appliedCounts() -> [String: Int]

    /// The exchanges so far, and the number of dropped entries.
    func journal() -> (entries: [JournalEntry], dropped: Int)

    func movements() -> [Movement]

    /// The text of every token issued, by its id, without the ids of consents: for scanning, never for showing.
    func tokenTexts() -> [String: String]

    /// The beginning of each ID token that the bank may have signed, by label: for scanning, never for showing.
    func idTokenBeginnings() -> [String: String]

    /// The customer of each issued token, by the token's id; without those of the apps themselves.
    func tokenOwners() -> [String: String]

    /// The texts that the bank served in fields declared `sensitive`, by label.
    func sensitiveTexts() -> [String: String]

    /// Returns once the journal has, or has changed, an entry above that number, and at the latest after the time.
    func journalChanged(since seq: Int, within limit: Duration) async

    /// Returns once the exchanges in progress have ended, except those that a fault delays or holds; or after the time limit.
    func waitForExchanges(within limit: Duration) async

    /// Moves the session's virtual clock.
    func advance(by duration: Duration) throws

    /// From now on every response announces the end of its connection, and ends it, until idle connections are ended.
    func endConnectionsAfterResponses()

    /// Ends the connections that carry no exchange, and returns when they have ended, at the latest after the time.
    func closeIdleConnections(within limit: Duration) async

    func close() async
}
