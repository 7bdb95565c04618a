import BankEngine
import HTTPTypes
import Hummingbird
import StubServer

/// Names the node on every reply, so that a client behind a proxy sees which of several servers has answered.
struct AdminNode<Context: RequestContext>: RouterMiddleware {
    /// Nil if the server is the only one.
    let node: ServerNode?

    @concurrent
    func handle(
        _ request: Request, context: Context, next: @concurrent (Request, Context) async throws -> Response
    ) async throws -> Response {
        var response = try await next(request, context)
        if let node, let name = HTTPField.Name(ServerNode.header) { response.headers[name] = node.name }
        return response
    }
}

/// Refuses to change a bank's standing session on a node that does not let it answer: a rule set there would never strike.
struct AdminStanding<Context: RequestContext>: RouterMiddleware {
    let server: StubServer

    @concurrent
    func handle(
        _ request: Request, context: Context, next: @concurrent (Request, Context) async throws -> Response
    ) async throws -> Response {
        let isRead = request.method == .get || request.method == .head
        if !isRead, !server.configuration.answersStanding, let node = server.registry.node,
            let session = server.registry.session(context.sessionID), server.registry.standing.contains(where: { $0 === session })
        {
            throw SessionError.standsAside(node: node)
        }
        return try await next(request, context)
    }
}
