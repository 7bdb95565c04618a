import BankEngine
import BankModel
import NIOCore
import NIOHTTP1
import StubServer

/// The way of a request from the connection to its call's answer.
struct AdminRouter: Sendable {
    let api: AdminAPI
    private let entrance: AdminGuard

    init(_ api: AdminAPI) {
        self.api = api
        entrance = AdminGuard(api.configuration, api.server.registry)
    }

    /// The response to a request; an error becomes problem details.
    func response(to request: AdminRequest) async -> AdminResponse {
        var response: AdminResponse
        do {
            response = try await answer(request)
        } catch {
            response = AdminProblem(error).response
        }
        // So that a client behind a proxy sees which of several servers has answered.
        if let node = api.server.registry.node { response.headers.replaceOrAdd(name: ServerNode.header, value: node.name) }
        // A page of another origin gets no response into its process, whatever it takes it for (Fetch §3.6, §3.7).
        response.headers.replaceOrAdd(name: "Cross-Origin-Resource-Policy", value: "same-origin")
        response.headers.replaceOrAdd(name: "X-Content-Type-Options", value: "nosniff")
        response.headers.add(name: "Date", value: api.server.configuration.clock.now().httpDate)
        response.headers.add(name: "Server", value: "counterfoil")
        return response
    }

    private func answer(_ request: AdminRequest) async throws -> AdminResponse {
        let match = AdminCall.match(request.method, request.path)
        // A probe of a load balancer or of Kubernetes has the node's own address as its `Host`, and no token.
        if match?.call.isGuarded ?? true { try entrance.check(request) }
        if request.isForDashboard { return Dashboard.built.response }
        guard let match else { throw AdminCall.problem(request.method, request.path) }
        try match.call.checkNames(of: request.query)
        var request = request
        request.segments = match.segments
        try match.call.checkAbsence(ofBodyIn: request)
        let response: AdminResponse
        switch match.call.answer {
        case .ofSession(let answer): response = try await durably(request, answer)
        case .ofServer(let answer): response = try await answer(api, request)
        }
        return try await response.placed(among: api.long)
    }

    /// Answers a call within a session: a response that shows the session's state waits until that state is durable.
    private func durably(_ request: AdminRequest, _ answer: AdminCall.Answer.OfSession) async throws -> AdminResponse {
        let server = api.server
        let session = try api.session(request)
        // A rule that is set here for a default session would never apply if another node answers for it.
        if !request.isRead, !server.configuration.servesDefaultSessions, let node = server.registry.node,
            server.registry.defaultSessions.contains(where: { $0 === session })
        {
            throw SessionError.namedSessionsOnly(node: node)
        }
        let losses = session.losses
        let response = try await answer(api, session, request)
        try await session.durable(since: losses)
        return response
    }
}
