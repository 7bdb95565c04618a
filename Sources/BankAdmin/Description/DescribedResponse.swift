import BankModel
import NIOHTTP1

/// A response that a call can have: its status and its content.
struct DescribedResponse: Sendable {
    let status: HTTPResponseStatus
    let content: Content

    enum Content: Sendable {
        case nothing
        /// Lines for people or for Prometheus.
        case text
        case json(Schema)
        /// Problem details (RFC 9457).
        case problem
    }

    static func ok(_ shape: ObjectSchema) -> DescribedResponse { DescribedResponse(status: .ok, content: .json(.object(shape))) }
    static func created(_ shape: ObjectSchema) -> DescribedResponse { DescribedResponse(status: .created, content: .json(.object(shape))) }
    static func text(_ status: HTTPResponseStatus) -> DescribedResponse { DescribedResponse(status: status, content: .text) }
    static func problem(_ status: HTTPResponseStatus) -> DescribedResponse { DescribedResponse(status: status, content: .problem) }
    /// An object whose members another document describes, or the bank names.
    static let anyObject = DescribedResponse(status: .ok, content: .json(.map(keys: "names", .any)))
    static let done = DescribedResponse(status: .noContent, content: .nothing)
    static let accepted = DescribedResponse(status: .accepted, content: .nothing)

    /// The schema of its body; nil if that is not JSON.
    var schema: Schema? {
        switch content {
        case .nothing, .text: nil
        case .json(let schema): schema
        case .problem: .object(AdminProblem.schema)
        }
    }

    /// The media type of its body; nil if it has none.
    var type: String? {
        switch content {
        case .nothing: nil
        case .text: "text/plain"
        case .json: "application/json"
        case .problem: AdminProblem.mediaType
        }
    }

    /// The meaning of its status in a sentence.
    var about: String {
        switch status {
        case .ok: "The requested resource."
        case .created: "The created resource."
        case .accepted: "The action follows this response."
        case .noContent: "The action is done."
        case .badRequest: "The body, the query or the path is invalid."
        case .unauthorized: "The token is missing or wrong."
        case .forbidden: "The `Host`, or the web page that sends a change, is not allowed."
        case .notFound: "The session, bank, plan, rule, exchange, token or outage does not exist."
        case .conflict: "The call conflicts with the current state, such as a name in use."
        case .contentTooLarge: "The body is over 1 MiB."
        case .misdirectedRequest: "The session belongs to another node, or this node serves named sessions only."
        case .unprocessableContent: "The action is not possible for this session or on this server."
        case .tooManyRequests: "The server or a quota allows no more sessions, or no more concurrent long responses."
        case .serviceUnavailable: "The server is draining, or cannot write its state file."
        default: status.reasonPhrase + "."
        }
    }
}

extension ObjectSchema {
    /// The object in a response, or a part of one.
    init(_ what: String, named name: String? = nil, _ about: String = "", members: [FieldSchema]) {
        self.init(what, named: name, about, fields: members)
    }
}

extension FieldSchema {
    /// A member that a response always has.
    static func always(_ key: String, _ schema: Schema, _ help: String) -> FieldSchema {
        FieldSchema(key: key, schema: schema, isRequired: true, standard: nil, help: help)
    }

    /// A member or a parameter that may be absent.
    static func sometimes(_ key: String, _ schema: Schema, _ help: String) -> FieldSchema {
        FieldSchema(key: key, schema: schema, isRequired: false, standard: nil, help: help)
    }
}

extension Schema {
    /// Any text, the empty one too.
    static let anyText = Schema.text(TextSchema("a text", pattern: "[\\s\\S]*"))
    static let texts = Schema.list(.anyText, atLeast: 0)
    /// An instant as responses have it.
    static let moment = Schema.text(
        TextSchema(
            "an instant such as `2026-01-12T09:15:00.000Z`", pattern: "-?[0-9]{4,}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\\.[0-9]{3}Z"
        ))
    static let count = Schema.integer(0...Int.max)
    static let signed = Schema.integer(Int.min...Int.max)

    /// The value, or null.
    static func orNull(_ schema: Schema) -> Schema { .anyOf([schema, .nothing]) }

    static func each(_ shape: ObjectSchema) -> Schema { .list(.object(shape), atLeast: 0) }

    /// One of the values of a closed list.
    static func one<Value: RawRepresentable<String> & CaseIterable>(of type: Value.Type) -> Schema {
        .words(type.allCases.map(\.rawValue))
    }
}
