package import BankModel

/// How one exchange goes wrong, at a named point.
///
/// A kind is one file in `Kinds/`: its settings, and one method that returns what it does, as data the wire carries out. It
/// stands in the list of `FaultKinds.swift`; nothing else knows it.
package protocol Fault: Sendable {
    /// Its name in files, such as `lose-reply`.
    static var kind: String { get }

    /// The effect of the fault in a phrase, as on the reference page.
    static var about: String { get }

    /// What it does to an exchange, for the test cases and the probe.
    static var effects: Set<FaultEffect> { get }

    /// Example settings, as JSON.
    static var example: String { get }

    /// The keys of its settings.
    static var fields: [any AnyField] { get }

    /// The rules on combinations of these keys.
    static var rules: [KeyRule] { get }

    /// The protocols that can carry it.
    static var carriers: Set<WireProtocol> { get }

    /// Reads the settings; nil and complaints if they are wrong.
    init?(_ fields: Fields, _ complaints: Complaints)

    /// The point of the exchange at which it applies.
    var point: FaultPoint { get }

    /// The settings as they would be written.
    var settings: JSON { get }

    /// The exchanges to which it can apply, besides its point; nil for all.
    var need: FaultNeed? { get }

    /// Whether a request that has followed its redirect to the operation itself is never matched.
    var sparesFollowers: Bool { get }
}

extension Fault {
    package static var example: String { "{}" }
    package static var fields: [any AnyField] { [] }
    package static var rules: [KeyRule] { [] }
    package static var carriers: Set<WireProtocol> { Set(WireProtocol.allCases) }
    package var settings: JSON { [:] }
    package var need: FaultNeed? { nil }
    package var sparesFollowers: Bool { false }
}

/// A fault that applies to an exchange, from `request` to `body`.
package protocol ExchangeFault: Fault {
    /// Changes what is executed and sent.
    ///
    /// - Throws: ``NotApplied`` if it cannot act on this exchange, which then goes through untouched.
    func apply(_ outgoing: inout OutgoingResponse, _ context: FaultContext) throws(NotApplied)
}

/// A fault that applies to a connection before any head is read: `connect` or `tls`.
package protocol ConnectionFault: Fault {
    func apply(_ context: FaultContext) -> ConnectionEffect
}

/// The points at which a fault can apply, in the order in which an exchange passes them.
package enum FaultPoint: String, Sendable, CaseIterable {
    /// The connection is accepted; no head is read.
    case connect
    /// Before the handshake.
    case tls
    /// The request is read and its key claimed; nothing is executed.
    case request
    /// Executed and durable; nothing is sent.
    case commit
    /// Before the status line and headers.
    case head
    /// Before and during the body.
    case body

    /// Known before any head is read.
    package var isOfConnection: Bool { self == .connect || self == .tls }
}

/// The kind of exchange that a fault needs.
package enum FaultNeed: String, Sendable, CaseIterable {
    /// The operation has a response that rejects inside a success.
    case businessFailure = "business-failure"
    /// The response is a page of a list.
    case page
    /// The request names the page it wants.
    case cursor
    /// The operation only reads.
    case read
    /// The authority can sign intermediate ones.
    case intermediate
    /// The response has an ID token, if the client asked for one.
    case idToken = "id-token"
    /// The request opens the sign-in page, or sends its form.
    case signInPage = "sign-in-page"
    /// The response is a stream of events.
    case stream
    /// The request has a body.
    case requestBody = "request-body"
}

/// Why a fault leaves an exchange untouched.
package struct NotApplied: Error, Sendable, Hashable {
    package let reason: String

    package init(_ reason: String) { self.reason = reason }
}

/// The properties of an exchange that a fault can read.
package struct FaultContext: Sendable {
    package var wireProtocol: WireProtocol = .h1
    /// The connection is under TLS.
    package var isSecure = false
    /// The rule that applies: what it holds ends with it.
    package var ruleID = "rule-1"
    /// Seeded by session, rule and number: the same for the same decision.
    package var random = SeededGenerator(seed: 0)
    /// Since the rule was set, or its entry of a plan began.
    package var elapsed: Duration = .zero
}

/// What is done with a connection before any head is read.
package enum ConnectionEffect: Sendable, Hashable {
    /// The port does not listen.
    case refuse
    /// Accepted, never read, never answered.
    case silence
    /// FIN before any byte.
    case close
    /// RST before any byte.
    case reset
    /// Everything is as usual, after a wait.
    case wait(Wait)
    /// Both ways, the whole connection.
    case bandwidth(bytesPerSecond: Int)
    /// The handshake is carried out, but not as usual.
    case handshake(UnusualHandshake)
    /// The handshake is cut after the client's first message.
    case abortHandshake
}

/// How long something is held back.
package enum Wait: Sendable, Hashable {
    /// Real time.
    case duration(Duration)
    /// Until someone releases what the session holds.
    case released

    static let format = Format(
        .anyOf([.words(["released"]), Format<Duration>.duration.schema]), read: { Wait($0, $1) }, write: { $0.json })

    private init?(_ node: Node, _ complaints: Complaints) {
        if node.scalar == "released" {
            self = .released
        } else if let text = node.scalar, let duration = Duration(text: text) {
            self = .duration(duration)
        } else {
            complaints.add(
                found: node.kindName, expected: "a duration such as 300ms, at most 36525d (100 years), or `released`", at: node.position)
            return nil
        }
    }

    private var json: JSON {
        switch self {
        case .duration(let duration): .string(duration.shortText)
        case .released: "released"
        }
    }
}

/// What a kind of fault does to an exchange, for the code that interprets one: the test cases, the probe, and the tests of the wire.
package enum FaultEffect: String, Sendable, CaseIterable {
    /// The client receives a whole response, perhaps late or with other content, so that it must know the response.
    case wholeResponse = "whole-response"
    /// The response is not the bank's: it does not show what the bank did.
    case foreignResponse = "foreign-response"
    /// The client may read content other than the bank's usual one, or only a part of it.
    case changesContent = "changes-content"
    /// With most of its settings the response ends early.
    case cutsResponse = "cuts-response"
    /// Requests on the connection are read later than the client sent them.
    case delaysConnection = "delays-connection"
    /// The header `Date` is not the session clock's.
    case movesDate = "moves-date"
    /// There are bytes before or after the response.
    case addsBytes = "adds-bytes"
    /// The chunked body ends with trailer fields.
    case addsTrailers = "adds-trailers"
    /// The body is sent in pieces over a time.
    case spreadsBody = "spreads-body"
}
