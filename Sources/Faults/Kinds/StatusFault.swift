package import BankModel
import Platform

/// Another response in place of the bank's: a status, headers, a body (as JSON or text, or any bytes as `body_hex`).
///
/// Nothing is executed.
package struct StatusFault: ExchangeFault {
    package static let kind = "status"
    package static let about =
        "sends another response; use `body_hex` for bytes that are not text; `retry_after` can also be `{http-date: 2}`"
    package static let effects: Set<FaultEffect> = [.wholeResponse, .changesContent]
    package static let example = #"{"status": 503, "headers": {"X-Why": "test"}, "body": {"a": 1}, "retry_after": 2}"#
    package static let fields: [any AnyField] = [status, RetryAfter.field, headers, text, digits]
    package static let rules: [KeyRule] = [.atMostOne([text.key, digits.key])]
    package let point = FaultPoint.request

    private static let status = Field(required: "status", .int(in: 200...599), "the response's status")
    private static let text = Field(
        "body", .node(.any), "the body: a text, sent unchanged, or JSON; by default empty")
    private static let digits = Field(
        "body_hex",
        Format<[UInt8]>(
            .text(TextSchema("bytes as hexadecimal digits, two each")),
            read: { node, complaints in
                node.scalar.flatMap { bytes(hexadecimal: $0) } ?? node.wrong(complaints, "bytes as hexadecimal digits, two each")
            }, write: { .string(hexadecimal($0)) }),
        "a body that is not text")
    private static let headers = Field(
        "headers", .headerLines, default: [], "headers in addition to the dialect's; by default, `Content-Type` follows from the body")

    let response: CustomResponse

    package init?(_ fields: Fields, _ complaints: Complaints) {
        let status = fields[Self.status]
        let retryAfter = fields[RetryAfter.field]
        var headers = fields[Self.headers] ?? []
        let text = fields[Self.text]
        let digits = fields[Self.digits]
        if text != nil, let node = fields.node(of: Self.digits) {
            complaints.add(found: "`body` and `body_hex`", expected: "one of them", at: node.position)
        }
        let body = text?.bodyBytes ?? digits
        guard let status else { return nil }
        if body != nil, !headers.contains(where: { $0.name.isHeaderName("content-type") }) {
            headers.append(JournalEntry.Header("Content-Type", text?.bodyType ?? "application/json"))
        }
        response = CustomResponse(status: status, headers: headers, body: body ?? [], retryAfter: retryAfter)
    }

    package func apply(_ outgoing: inout OutgoingResponse, _ context: FaultContext) { outgoing.answer(.custom(response)) }

    package var settings: JSON {
        var object = JSONObject([Self.status.member(response.status)])
        if !response.headers.isEmpty { object.set(Self.headers, response.headers) }
        if let text = String(validUTF8: response.body) {
            if !text.isEmpty { object[Self.text.key] = .string(text) }
        } else {
            object.set(Self.digits, response.body)
        }
        object.set(RetryAfter.field, response.retryAfter)
        return .object(object)
    }
}

/// A response's body as a rule gives it.
extension Node {
    /// A text as it stands, or JSON.
    var bodyBytes: [UInt8] { scalar.map { Array($0.utf8) } ?? json.bytes }
    /// Its `Content-Type`.
    var bodyType: String { scalar == nil ? "application/json" : "text/plain; charset=utf-8" }
}

extension OutgoingResponse {
    /// Another response instead of executing the request.
    mutating func answer(_ substitute: Substitute) {
        self.substitute = substitute
        steps = [.head, .body]
    }
}

extension Format<[JournalEntry.Header]> {
    /// Headers by name.
    static let headerLines = Format(
        .map(keys: "a header's name", .anyOf([Format<String>.text().schema, .nothing])),
        read: { node, complaints in
            Fields(node, of: "headers", complaints).all.compactMap { name, keyNode, value -> JournalEntry.Header? in
                guard let text = value.isNull ? "" : value.anyText(complaints) else { return nil }
                return JournalEntry.Header(checking: name, text, at: keyNode.position, complaints)
            }
        }, write: { .object(JSONObject($0.map { ($0.name, .string($0.value)) })) })
}

extension JournalEntry.Header {
    /// A header that cannot break out of its line (RFC 9110 §5.5); nil and a complaint otherwise.
    init?(checking name: String, _ value: String, at position: SourcePosition, _ complaints: Complaints) {
        let isToken = !name.isEmpty && name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !"\"(),/:;<=>?@[\\]{}".utf8.contains($0) }
        let isLine = value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }
        guard isToken, isLine else {
            complaints.add(
                found: "the header `\(name)`", expected: "a name of letters, digits and -, and a value without control characters",
                at: position)
            return nil
        }
        self.init(name, value)
    }
}
