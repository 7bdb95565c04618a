import BankEngine
import BankModel
import NIOCore
import StubServer

/// The admin API: all operations on a running server, under `/__admin`.
struct AdminAPI: Sendable {
    let server: StubServer
    let configuration: AdminConfiguration
    let version: String
    let startedAt: Instant
    let long = LongResponses()

    func session(_ request: AdminRequest) throws -> BankSession {
        let id = request.segment("session")
        guard let session = server.registry.session(id) else { throw server.registry.absence(of: id) }
        return session
    }

    /// The request's body, decoded by `read`.
    ///
    /// - Parameter empty: the value of an empty body.
    func body<Value>(_ request: AdminRequest, empty: JSON = [:], _ read: (Node, Complaints) -> Value?) throws -> Value {
        let json = request.body.readableBytes == 0 ? empty : try JSON(parsing: request.body.readableBytesView)
        return try Complaints.collecting { complaints in read(Node(json), complaints) }
    }

    /// As ``body(_:empty:_:)``, for the keys of one object.
    func fields<Value>(
        _ request: AdminRequest, of schema: ObjectSchema, empty: JSON = [:], _ read: (Fields, Complaints) -> Value?
    ) throws -> Value {
        try body(request, empty: empty) { node, complaints in
            let fields = Fields(node, of: schema, complaints)
            let value = read(fields, complaints)
            fields.finish()
            return value
        }
    }
}
