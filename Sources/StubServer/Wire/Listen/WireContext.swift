import BankEngine
import BankModel
import Faults
import NIOCore

/// What all connections of one listener share.
struct WireContext: Sendable {
    let choice: SessionChoice
    let clock: MachineClock
    /// The origin whose pages may call the bank; nil: none.
    let cors: String?
    /// How long nothing may be read.
    let idle: Duration
    /// How long a head may take in all.
    let headTime: Duration
    /// The bytes of requests that have not ended.
    let halves: HalfRequests
    /// How long a client has to take what comes before an end.
    let drain: Duration
    /// Nil for clear text.
    let security: TLSContexts?
    /// What may be spoken; under TLS the contexts' ALPN says the same.
    let protocols: Set<WireProtocol>
    let rounds: RequestRounds
    /// Whether clear text is answered on this port of TLS too.
    var hearsClearText = false
    /// How often a client of HTTP/2 may do what costs the server more than the client.
    var rates = StreamRates()

    /// - Parameters:
    ///   - halves: the server's; nil for a listener that has no others beside it.
    ///   - protocols: nil for all that the listener can carry.
    init(
        _ choice: SessionChoice, _ configuration: ServerConfiguration, _ rounds: RequestRounds, halves: HalfRequests? = nil,
        security: TLSContexts? = nil, protocols: Set<WireProtocol>? = nil
    ) {
        self.choice = choice
        self.rounds = rounds
        self.halves = halves ?? HalfRequests(limit: configuration.halfRequestMemory)
        self.security = security
        clock = configuration.clock
        cors = configuration.corsOrigin
        idle = configuration.idleTimeout
        headTime = configuration.headTimeout
        drain = configuration.drain
        self.protocols = protocols ?? (security == nil ? [.h1, .h2] : [.h1s, .h2])
    }
}

/// How often a client of HTTP/2 may do what costs the server more than the client; then the connection ends
/// (ENHANCE_YOUR_CALM, RFC 9113 §10.5).
struct StreamRates: Sendable {
    /// Streams that are broken off, or wrong.
    var streamErrors = 1000
    /// Frames that carry nothing: pings, settings, priorities.
    var controlFrames = 2000
    /// Within what time.
    var window = TimeAmount.seconds(1)
}
