import BankCore
import BankModel

/// The keys of a reply that stands for itself, in a dialect or under `refuse`.
enum ReplyKeys {
    static let status = Field(required: "status", .int(in: 200...599), "of HTTP")
    static let headers = Field("headers", .node(HeaderKeys.schema), "besides those of every reply, or in their place")
    static let body = Field("body", .node(TemplateKeys.template), "its shape, see [value](#value); without it there is none")
    static let contentType = Field("content_type", .text(), "the media type; without it the dialect's")
    static let invented = Field("invented", .bool, default: false, "that no source gives this body: it was made up")

    static let schema = ObjectSchema(
        "a reply", "A reply that stands for itself.", fields: [status, headers, body, contentType, invented],
        example: "{status: 401, headers: {WWW-Authenticate: Bearer}, body: {code: unauthorized, message: {detail: \"Sign in again.\"}}}")
}

/// Headers of a reply.
enum HeaderKeys {
    static let schema = Schema.map(keys: "the names of headers", TemplateKeys.source)
}
