import BankEngine
import BankModel
import Faults
import NIOCore
import NIOSSL
import NIOTLS

/// Detects a connection's protocol: by ALPN under TLS (RFC 7301), by HTTP/2's preface in clear text (RFC 9113 §3.4).
final class ProtocolHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private let isSecure: Bool
    /// Adds the handlers of the protocol, which follow this one.
    private let settle: (any Channel, WireLine) throws -> Void
    /// Called with the outcome of the handshake.
    private let handshakeEnded: (Receipt.End) -> Void
    private var early = ByteBuffer()
    private var isSettled = false

    private static let preface = ByteBuffer(string: "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")

    init(
        isSecure: Bool, settle: @escaping (any Channel, WireLine) throws -> Void, handshakeEnded: @escaping (Receipt.End) -> Void = { _ in }
    ) {
        self.isSecure = isSecure
        self.settle = settle
        self.handshakeEnded = handshakeEnded
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isSettled else { return context.fireChannelRead(data) }
        var bytes = unwrapInboundIn(data)
        early.writeBuffer(&bytes)
        guard !isSecure else { return }
        let count = min(early.readableBytes, ProtocolHandler.preface.readableBytes)
        let isPreface = early.getSlice(at: early.readerIndex, length: count) == ProtocolHandler.preface.getSlice(at: 0, length: count)
        if !isPreface {
            go(context, WireLine(wireProtocol: .h1))
        } else if count == ProtocolHandler.preface.readableBytes {
            go(context, WireLine(wireProtocol: .h2))
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        switch event {
        case TLSUserEvent.handshakeCompleted(let negotiated):
            handshakeEnded(.kept)
            let version = try? context.channel.pipeline.syncOperations.nioSSL_tlsVersion()
            go(context, WireLine(wireProtocol: negotiated == "h2" ? .h2 : .h1s, tls: version?.title ?? "TLS"))
        // No request has come yet.
        case is CloseWhenIdle, is Silence, is SlowHead, ChannelEvent.inputClosed:
            if isSettled {
                context.fireUserInboundEventTriggered(event)
            } else if early.readableBytes > 0, !isSecure {
                // An incomplete preface or request: HTTP/1.1 reports the error.
                go(context, WireLine(wireProtocol: .h1), then: event)
            } else {
                context.close(promise: nil)
            }
        default: context.fireUserInboundEventTriggered(event)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard !isSettled else { return context.fireErrorCaught(error) }
        handshakeEnded(.tlsAlert)
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        if !isSettled { handshakeEnded(.clientGone) }
        context.fireChannelInactive()
    }

    private func go(_ context: ChannelHandlerContext, _ line: WireLine, then event: Any? = nil) {
        guard !isSettled else { return }
        isSettled = true
        do { try settle(context.channel, line) } catch { return context.close(promise: nil) }
        if early.readableBytes > 0 {
            context.fireChannelRead(wrapInboundOut(early))
            context.fireChannelReadComplete()
        }
        early = ByteBuffer()
        if let event { context.fireUserInboundEventTriggered(event) }
        context.pipeline.syncOperations.removeHandler(self, promise: nil)
    }
}

extension TLSVersion {
    /// The version's name, such as `TLSv1.3`.
    fileprivate var title: String {
        switch self {
        case .tlsv13: "TLSv1.3"
        case .tlsv12: "TLSv1.2"
        default: "TLS"
        }
    }
}
