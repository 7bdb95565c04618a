import BankCore
import BankModel

/// The keys of a response that stands for itself, in a dialect or under `refuse`.
enum ResponseKeys {
    static let status = Field(required: "status", .int(in: 200...599), "the HTTP status")
    static let headers = Field("headers", .node(HeaderKeys.schema), "headers that are added to those of every response, or replace them")
    static let body = Field("body", .node(TemplateKeys.template), "its structure, see [value](#value); without it there is no body")
    static let contentType = Field("content_type", .text(), "the media type; by default the dialect's")
    static let invented = Field("invented", .bool, default: false, "marks a body that has no source")

    static let schema = ObjectSchema(
        "a response", "A complete response.", fields: [status, headers, body, contentType, invented],
        example: "{status: 401, headers: {WWW-Authenticate: Bearer}, body: {code: unauthorized, message: {detail: \"Sign in again.\"}}}")
}

/// Headers of a response.
enum HeaderKeys {
    static let schema = Schema.map(keys: "the names of headers", TemplateKeys.source)
}
