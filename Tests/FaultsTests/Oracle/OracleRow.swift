import BankModel

/// The protocol between a client and the bank.
enum OracleWire: String, CaseIterable, Sendable {
    /// HTTP/1.1 in clear text.
    case h1
    /// HTTP/1.1 over TLS.
    case h1s
    /// HTTP/2 over TLS.
    case h2
    /// HTTP/2 in clear text, by prior knowledge.
    case h2c

    var isSecure: Bool { self == .h1s || self == .h2 }
    var isHTTP2: Bool { self == .h2 || self == .h2c }

    /// The protocol's name in the journal.
    var wireProtocol: WireProtocol {
        switch self {
        case .h1: .h1
        case .h1s: .h1s
        case .h2, .h2c: .h2
        }
    }
}

/// The state of the connection when the fault is applied.
enum OracleState: String, CaseIterable, Sendable {
    /// Nothing yet.
    case cold
    /// One request was answered; the rule matches no new connection.
    case warm
    /// One request was answered; the rule also matches when curl retries the request.
    case again
}

/// One protocol and one state.
struct OracleCell: Hashable, Sendable, CustomStringConvertible {
    let wire: OracleWire
    let state: OracleState

    init(_ wire: OracleWire, _ state: OracleState) {
        self.wire = wire
        self.state = state
    }

    var description: String { "\(wire.rawValue) \(state.rawValue)" }
}

/// The request to which the fault is applied.
enum OracleRequest: Sendable {
    /// A document of ``OracleBank/documentBytes`` bytes.
    case document
    /// A payment.
    case pay
    /// The second page of a list.
    case page
}

/// A number of bytes.
enum Amount: Hashable, Sendable {
    case nothing
    case exactly(Int)
    /// The number in Content-Length, at least one.
    case whole
    case any
    /// Everything or nothing: the client decides.
    case maybe(Int)
}

/// curl's result in one cell, and the journal's record of it.
struct Seen: Sendable {
    /// curl's exit codes.
    var exits: Set<Int>
    /// The status reported by curl; 0 for none.
    var statuses: Set<Int>
    /// The body received by curl.
    var body: Amount
    /// Whether curl's own limit ends it.
    var isHeld = false
    /// The shortest duration in seconds, if it is not held. (No longest duration: a machine may stall.)
    var seconds = 0.0
    /// The number of times that the fault is applied.
    var applications = 1...1

    /// The end in the receipt.
    var ends: Set<Receipt.End>
    /// Whether any byte of a head was written.
    var hasHead: Bool
    /// The part of the body that was written.
    var sent: Amount
    /// The bytes that are of neither head nor body, as the receipt counts them; nil if the fault's own tests look at them.
    var raw: Amount?
    /// Whether those are interim responses, which curl counts with the head.
    var areInterim = false
    /// Whether the operation was executed.
    var isCommitted = false
    /// False if the protocol cannot carry it: the exchange is unchanged.
    var isApplied = true
    /// Whether the rule is rejected when it is set.
    var isRejected = false
    /// The reason for this cell, if the fault's name does not explain it.
    var why = ""

    /// A response that is complete HTTP.
    static func ok(_ status: Int = 200, _ body: Amount = .exactly(OracleBank.documentBytes)) -> Seen {
        Seen(exits: [0], statuses: [status], body: body, ends: [.kept], hasHead: true, sent: body)
    }

    /// A response that is complete HTTP, to a request that was executed.
    static func done(_ status: Int = 200, _ body: Amount = .exactly(OracleBank.documentBytes)) -> Seen { ok(status, body).committed }

    /// No byte of a response to a request that was executed.
    static func lost(_ exits: Set<Int>, _ ends: Set<Receipt.End>) -> Seen { nothing(exits, ends).committed }

    /// No byte of a response.
    static func nothing(_ exits: Set<Int>, _ ends: Set<Receipt.End>) -> Seen {
        Seen(exits: exits, statuses: [0], body: .nothing, ends: ends, hasHead: false, sent: .nothing)
    }

    /// The head, and `count` bytes of the body.
    static func cut(_ exits: Set<Int>, at count: Int, _ ends: Set<Receipt.End>) -> Seen {
        let body: Amount = count == 0 ? .nothing : .exactly(count)
        return Seen(exits: exits, statuses: [200], body: body, ends: ends, hasHead: true, sent: body, isCommitted: true)
    }

    /// Silence from the beginning.
    static let silence = nothing([28], [.clientGone]).held

    /// curl retries by itself on a new connection: the loss is never visible.
    static func resent(_ end: Receipt.End, status: Int = 200, _ body: Amount = .exactly(OracleBank.documentBytes)) -> Seen {
        Seen(
            exits: [0], statuses: [status], body: body, ends: [end], hasHead: false, sent: .nothing,
            why: "curl sends a request again when a reused connection dies before the response")
    }

    /// The rule cannot be set if only such protocols are available.
    static let rejected: Seen = {
        var seen = Seen.nothing([], [])
        seen.isRejected = true
        return seen
    }()

    /// The fault is recorded as not applied, and the response is unchanged.
    func untouched(_ why: String) -> Seen {
        var seen = self
        seen.isApplied = false
        seen.isCommitted = true
        seen.raw = .nothing
        seen.why = why
        return seen
    }

    /// HTTP/2: if RST_STREAM arrives in the same read as earlier frames, curl drops those.
    var orDropped: Seen {
        var seen = self
        seen.statuses.insert(0)
        if case .exactly(let count) = body { seen.body = .maybe(count) } else { seen.body = .any }
        seen.why = "curl drops what comes in one read with RST_STREAM"
        return seen
    }

    var held: Seen {
        var seen = self
        seen.isHeld = true
        return seen
    }

    var committed: Seen {
        var seen = self
        seen.isCommitted = true
        return seen
    }

    func lasting(_ seconds: Double) -> Seen {
        var seen = self
        seen.seconds = seconds
        return seen
    }

    func applied(_ applications: ClosedRange<Int>) -> Seen {
        var seen = self
        seen.applications = applications
        return seen
    }

    func sending(_ sent: Amount, got body: Amount? = nil) -> Seen {
        var seen = self
        seen.sent = sent
        if let body { seen.body = body }
        return seen
    }

    func beside(_ raw: Amount, areInterim: Bool = false) -> Seen {
        var seen = self
        seen.raw = raw
        seen.areInterim = areInterim
        return seen
    }

    func exiting(_ exits: Set<Int>, _ why: String) -> Seen {
        var seen = self
        seen.exits = exits
        seen.why = why
        return seen
    }

    func because(_ why: String) -> Seen {
        var seen = self
        seen.why = why
        return seen
    }
}
