package import BankModel

/// A redirect in place of the reply. Nothing is executed.
package struct RedirectFault: ExchangeFault {
    package static let kind = "redirect"
    package static let about = "to `loop`, `other-host`, `downgrade` or a URL"
    package static let example = #"{"to": "loop", "status": 307}"#
    package static let fields: [any AnyField] = [to, status]
    package let point = FaultPoint.request

    private static let to = Field(
        required: "to", RedirectTarget.format, "to itself, to another name of the same address, from https to http, or anywhere")
    private static let status = Field("status", .int(in: 301...308), default: 302, "the reply's status")

    let target: RedirectTarget
    let status: Int

    package init?(_ fields: Fields, _ complaints: Complaints) {
        let target = fields[Self.to]
        let status = fields[Self.status]
        guard let target, let status else { return nil }
        self.target = target
        self.status = status
    }

    package func strike(_ sending: inout Sending, _ context: StrikeContext) throws(NotApplied) {
        if target == .downgrade, !context.isSecure { throw NotApplied("the connection is already in clear text") }
        sending.answer(.redirect(target, status: status))
    }

    package var settings: JSON { .object(JSONObject([Self.to.member(target), Self.status.member(status)])) }
}

extension RedirectTarget {
    fileprivate static let format = Format(
        .anyOf([
            .words(["loop", "other-host", "downgrade"]),
            .text(TextSchema("a URL", pattern: "[!-~\\u0080-\\uffff]*://[!-~\\u0080-\\uffff]*")),
        ]),
        read: { node, complaints in
            node.scalar.flatMap(RedirectTarget.init) ?? node.wrong(complaints, "loop, other-host, downgrade, or a URL")
        }, write: { .string($0.text) })

    init?(_ text: String) {
        switch text {
        case "loop": self = .loop
        case "other-host": self = .otherHost
        case "downgrade": self = .downgrade
        default:
            guard text.contains("://"), text.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else { return nil }
            self = .url(text)
        }
    }

    var text: String {
        switch self {
        case .loop: "loop"
        case .otherHost: "other-host"
        case .downgrade: "downgrade"
        case .url(let url): url
        }
    }
}
