import HTTPTypes
import Hummingbird
import NIOCore
import StubServer

/// Answers `GET /livez` and `GET /readyz`, for a load balancer or Kubernetes: before the guard, since a probe has the node's own
/// address as its `Host` and no token. The replies contain no data.
struct AdminProbes<Context: RequestContext>: RouterMiddleware {
    let server: StubServer

    @concurrent
    func handle(
        _ request: Request, context: Context, next: @concurrent (Request, Context) async throws -> Response
    ) async throws -> Response {
        guard request.method == .get || request.method == .head else { return try await next(request, context) }
        let response: Response
        switch request.uri.path {
        case "/livez": response = AdminProbes.reply(nil)
        case "/readyz": response = AdminProbes.reply(await server.unreadiness)
        default: return try await next(request, context)
        }
        return request.method == .head ? response.createHeadResponse() : response
    }

    private static func reply(_ reason: Unreadiness?) -> Response {
        Response(
            status: reason == nil ? .ok : .serviceUnavailable,
            headers: [.contentType: "text/plain; charset=utf-8", .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: (reason?.rawValue ?? "ok") + "\n")))
    }
}
