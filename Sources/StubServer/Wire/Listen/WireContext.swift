import BankEngine
import BankModel
import Faults

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

    /// - Parameters:
    ///   - halves: the server's; nil for a listener that has no others beside it.
    ///   - protocols: nil for all that the listener can carry.
    init(
        _ choice: SessionChoice, _ configuration: ServerConfiguration, _ rounds: RequestRounds, halves: HalfRequests? = nil,
        security: TLSContexts? = nil, protocols: Set<WireProtocol>? = nil
    ) {
        (self.rounds, self.halves) = (rounds, halves ?? HalfRequests(limit: configuration.halfRequestMemory))
        headTime = configuration.headTimeout
        (self.choice, clock, cors) = (choice, configuration.clock, configuration.corsOrigin)
        (idle, drain, self.security) = (configuration.idleTimeout, configuration.drain, security)
        self.protocols = protocols ?? (security == nil ? [.h1, .h2] : [.h1s, .h2])
    }
}
