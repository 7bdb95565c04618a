import BankEngine
import BankModel
import Faults
import NIOCore

/// The settings and shared state of all connections of one listener.
struct WireContext: Sendable {
    let choice: SessionChoice
    let configuration: ServerConfiguration
    /// The count of the bytes of incomplete requests.
    let incompleteRequests: IncompleteRequests
    /// Nil for clear text.
    let security: TLSContexts?
    /// The protocols that may be spoken; under TLS the contexts offer the same by ALPN.
    let protocols: Set<WireProtocol>
    /// Whether this TLS port answers clear text too.
    var acceptsClearText = false
    /// The rate limits for clients of HTTP/2.
    var rates = StreamRates()

    var clock: MachineClock { configuration.clock }

    #if HTTP2
    /// The protocols of this build.
    static let built: Set<WireProtocol> = [.h1, .h1s, .h2]
    #else
    /// The protocols of this build, which was made without the package trait HTTP2.
    static let built: Set<WireProtocol> = [.h1, .h1s]
    #endif

    /// - Parameters:
    ///   - incompleteRequests: the server's count; nil for a count of this listener alone.
    ///   - protocols: nil for all that the listener can carry.
    init(
        _ choice: SessionChoice, _ configuration: ServerConfiguration, incompleteRequests: IncompleteRequests? = nil,
        security: TLSContexts? = nil, protocols: Set<WireProtocol>? = nil
    ) {
        self.choice = choice
        self.configuration = configuration
        self.incompleteRequests = incompleteRequests ?? IncompleteRequests(limit: configuration.incompleteRequestMemory)
        self.security = security
        self.protocols = (protocols ?? (security == nil ? [.h1, .h2] : [.h1s, .h2])).intersection(WireContext.built)
    }
}

/// The rate limits for actions of an HTTP/2 client that cost the server more than the client; above them the connection ends
/// (ENHANCE_YOUR_CALM, RFC 9113 §10.5).
struct StreamRates: Sendable {
    /// Streams that the client resets, and streams that end with an error.
    var streamErrors = 1000
    /// Frames that carry nothing: pings, settings, priorities.
    var controlFrames = 2000
    /// The time in which they are counted.
    var window = TimeAmount.seconds(1)
}
