import BankModel
import NIOCore
import NIOHTTP1

struct AdminResponse: Sendable {
    var status: HTTPResponseStatus = .ok
    var headers: HTTPHeaders = [:]
    private(set) var body: Body = .whole(ByteBuffer())
    /// The effect that follows once the response is sent, or its client is gone.
    var effect: (@Sendable () -> Void)?

    enum Body: Sendable {
        case whole(ByteBuffer)
        /// Written piece by piece, each once the one before has left: a long body needs as little memory as a short one.
        case pieces(@Sendable () -> AnySequence<[UInt8]>)
    }

    /// The slot of a long response among those under way.
    private(set) var slot: LongResponses.Slot?

    /// The response with a short body made whole, or with a slot of ``LongResponses``.
    ///
    /// - Throws: ``AdminProblem`` if no slot is free.
    func placed(among long: LongResponses) async throws -> AdminResponse {
        guard case .pieces(let pieces) = body else { return self }
        var placed = self
        var bytes: [UInt8] = []
        for piece in pieces() {
            bytes += piece
            if bytes.count > LongResponses.shortBytes {
                placed.slot = try long.takeSlot()
                return placed
            }
            await Task.yield()
        }
        placed.body = .whole(ByteBuffer(bytes: bytes))
        return placed
    }

    /// A response of that media type, which must not be cached.
    static func fresh(_ type: String, _ body: Body, status: HTTPResponseStatus = .ok) -> AdminResponse {
        AdminResponse(status: status, headers: ["Content-Type": type, "Cache-Control": "no-store"], body: body)
    }

    /// As ``fresh(_:_:status:)``, with a text as its body.
    static func text(_ type: String, _ text: String, status: HTTPResponseStatus = .ok) -> AdminResponse {
        fresh(type, .whole(ByteBuffer(string: text)), status: status)
    }

    /// As ``fresh(_:_:status:)``, with JSON as its body.
    static func json(_ json: JSON, status: HTTPResponseStatus = .ok, type: String = "application/json") -> AdminResponse {
        fresh(type, .whole(ByteBuffer(bytes: json.bytes)), status: status)
    }

    /// An empty response to a successful call.
    static let done = AdminResponse(status: .noContent)

    /// An empty response to a call whose effect may close the admin connections too: it follows once the response is sent.
    static func accepted(then effect: @escaping @Sendable () -> Void) -> AdminResponse {
        AdminResponse(status: .accepted, effect: effect)
    }
}

extension HTTPResponseStatus {
    /// RFC 9110 §15.5.14; NIO has the phrase of RFC 7231.
    static let contentTooLarge = HTTPResponseStatus.custom(code: 413, reasonPhrase: "Content Too Large")
    /// RFC 9110 §15.5.21; NIO has the phrase of RFC 4918.
    static let unprocessableContent = HTTPResponseStatus.custom(code: 422, reasonPhrase: "Unprocessable Content")
}
