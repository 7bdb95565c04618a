package import BankModel

/// Bytes after a complete response, on a connection that stays open: a client that reuses it reads them as the next answer.
///
/// Without a setting the response is sent a second time, as by a server that answers twice. With `status` it is another response, such as
/// the 408 with which a load balancer ends an idle connection; with `bytes` it is whatever they are.
package struct SurplusFault: ExchangeFault {
    package static let kind = "surplus"
    package static let about =
        "sends bytes after a complete response: the response again, another `status`, or the text `bytes`; the connection stays open"
    package static let effects: Set<FaultEffect> = [.addsBytes]
    package static let example = #"{"status": 408}"#
    package static let carriers: Set<WireProtocol> = [.h1, .h1s]
    package static let fields: [any AnyField] = [status, text, bytes]
    package static let rules: [KeyRule] = [.atMostOne([status.key, bytes.key]), .atMostOne([text.key, bytes.key])]
    package let point = FaultPoint.body

    private static let status = Field(
        "status", .int(in: 200...599), "the status of another response, which is sent instead of the same response again")
    private static let text = Field("body", .node(.any), "the other response's body: a text, sent unchanged, or JSON; empty if absent")
    private static let bytes = Field("bytes", .text("one byte or more, as text"), "the bytes to send, as text")

    /// The content after the response.
    enum Content: Sendable, Hashable {
        /// The response itself.
        case again
        case response(status: Int, body: [UInt8], isJSON: Bool)
        case bytes([UInt8])
    }

    let content: Content

    package init?(_ fields: Fields, _ complaints: Complaints) {
        let text = fields[Self.text]
        switch (fields[Self.status], fields[Self.bytes]) {
        case (let status?, nil):
            content = .response(status: status, body: text?.bodyBytes ?? [], isJSON: text.map { $0.scalar == nil } ?? false)
        case (nil, _) where text != nil:
            complaints.add(found: "`body` without `status`", expected: "both, or neither", at: fields.node.position)
            return nil
        case (nil, let bytes?): content = .bytes(Array(bytes.utf8))
        case (nil, nil): content = .again
        case (_?, _?):
            complaints.add(found: "`status` and `bytes`", expected: "one of them", at: fields.node.position)
            return nil
        }
    }

    package func apply(_ outgoing: inout OutgoingResponse, _ context: FaultContext) {
        switch content {
        case .again: outgoing.steps.append(.again)
        case .response(let status, let body, let isJSON): outgoing.steps.append(.raw(SurplusFault.bytes(status, body, isJSON: isJSON)))
        case .bytes(let bytes): outgoing.steps.append(.raw(bytes))
        }
    }

    /// A whole response of HTTP/1.1; the reason phrase may be empty (RFC 9112 §4).
    private static func bytes(_ status: Int, _ body: [UInt8], isJSON: Bool) -> [UInt8] {
        let type = body.isEmpty ? "" : "Content-Type: \(isJSON ? "application/json" : "text/plain; charset=utf-8")\r\n"
        let length = status == 204 || status == 304 ? "" : "Content-Length: \(body.count)\r\n"
        return Array("HTTP/1.1 \(status) \r\n\(type)\(length)\r\n".utf8) + (length.isEmpty ? [] : body)
    }

    package var settings: JSON {
        switch content {
        case .again: [:]
        case .response(let status, let body, let isJSON):
            switch (body.isEmpty, isJSON) {
            case (true, _): .object(JSONObject([Self.status.member(status)]))
            case (_, true): .object(JSONObject([Self.status.member(status), (Self.text.key, (try? JSON(parsing: body)) ?? .null)]))
            case (_, false):
                .object(JSONObject([Self.status.member(status), (Self.text.key, .string(String(decoding: body, as: UTF8.self)))]))
            }
        case .bytes(let bytes): .object(JSONObject([Self.bytes.member(String(decoding: bytes, as: UTF8.self))]))
        }
    }
}
