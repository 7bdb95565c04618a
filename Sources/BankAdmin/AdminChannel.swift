import BankEngine
import BankModel
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import StubServer
import Synchronization

/// A connection of the admin API: Hummingbird's, with the bank's request parser.
struct AdminChannel: ServerChildChannel {
    private let http: HTTP1Channel
    private let drain: Duration
    /// The headers of every refusal.
    private let headers: [JournalEntry.Header]

    /// - Parameters:
    ///   - drain: how long a connection is drained after its FIN.
    ///   - node: named by every refusal; nil if the server is the only one.
    init(drain: Duration, node: ServerNode?, responder: @escaping HTTPChannelHandler.Responder) {
        http = HTTP1Channel(responder: responder)
        self.drain = drain
        headers = node.map { [JournalEntry.Header(ServerNode.header, $0.name)] } ?? []
    }

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<AcceptedChannel> {
        http.setup(channel: channel, logger: logger).flatMap { value in
            let accepted = AcceptedChannel(value, http, logger)
            let sync = channel.pipeline.syncOperations
            do {
                let theirs = try sync.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
                try sync.addHandlers(AdminRequests.handlers(drain: drain, headers: headers), position: .before(theirs))
                return sync.removeHandler(theirs).map { accepted }
            } catch {
                return channel.eventLoop.makeFailedFuture(error)
            }
        }
    }

    func handle(value: AcceptedChannel, logger: Logger) async { await value.handle() }
}

/// A connection between its acceptance and its handling.
///
/// If the server ends in that time, Hummingbird drops it, and NIO stops the process because nobody has finished its writer
/// (apple/swift-nio#2637). One that is dropped is closed and handled to its end instead.
final class AcceptedChannel: ServerChildChannelValue {
    private let value: HTTP1Channel.Value
    private let http: HTTP1Channel
    private let logger: Logger
    private let isHandled = Mutex(false)

    init(_ value: HTTP1Channel.Value, _ http: HTTP1Channel, _ logger: Logger) {
        self.value = value
        self.http = http
        self.logger = logger
    }

    var channel: any Channel { value.channel }

    func handle() async {
        isHandled.withLock { $0 = true }
        await http.handle(value: value, logger: logger)
    }

    deinit {
        guard !isHandled.withLock({ $0 }) else { return }
        let (value, http, logger) = (value, http, logger)
        value.channel.close(promise: nil)
        Task { await http.handle(value: value, logger: logger) }
    }
}
