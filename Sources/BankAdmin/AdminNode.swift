import BankEngine
import HTTPTypes
import Hummingbird

/// Names the node on every reply, so that a client behind a proxy sees which of several servers has answered.
struct AdminNode<Context: RequestContext>: RouterMiddleware {
    /// Nil if the server is the only one.
    let node: ServerNode?

    @concurrent
    func handle(
        _ request: Request, context: Context, next: @concurrent (Request, Context) async throws -> Response
    ) async throws -> Response {
        var response = try await next(request, context)
        if let node, let name = HTTPField.Name("X-Counterfoil-Node") { response.headers[name] = node.name }
        return response
    }
}
