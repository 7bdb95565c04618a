import BankEngine
import BankModel
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1
import StubServer

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

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<HTTP1Channel.Value> {
        http.setup(channel: channel, logger: logger).flatMap { value in
            let sync = channel.pipeline.syncOperations
            do {
                let theirs = try sync.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
                try sync.addHandlers(AdminRequests.handlers(drain: drain, headers: headers), position: .before(theirs))
                return sync.removeHandler(theirs).map { value }
            } catch {
                return channel.eventLoop.makeFailedFuture(error)
            }
        }
    }

    func handle(value: HTTP1Channel.Value, logger: Logger) async { await http.handle(value: value, logger: logger) }
}
