package import BankModel

/// A redirect in place of the response: instead of executing the request, or after it.
package struct RedirectFault: ExchangeFault {
    package static let kind = "redirect"
    package static let about =
        "redirects to `loop`, `same-host`, `other-host`, `downgrade` or a URL; the request is executed only if `executed` is true"
    package static let effects: Set<FaultEffect> = [.wholeResponse, .changesContent]
    package static let example = #"{"to": "same-host", "status": 307}"#
    package static let fields: [any AnyField] = [to, status, executed, RetryAfter.field]

    private static let to = Field(
        required: "to", RedirectTarget.format,
        "the target: the same URL (`loop`), another URL of the same operation (`same-host`), another name of the same address "
            + "(`other-host`), http instead of https (`downgrade`), or any URL"
    )
    private static let status = Field("status", .int(in: 301...308), default: 302, "the response's status")
    private static let executed = Field(
        "executed", .bool, default: false,
        "whether the request is executed and stored before the redirect replaces its response, at `commit`"
    )

    let target: RedirectTarget
    let status: Int
    let isExecuted: Bool
    let retryAfter: RetryAfter?

    package init?(_ fields: Fields, _ complaints: Complaints) {
        let target = fields[Self.to]
        let status = fields[Self.status]
        isExecuted = fields[Self.executed] ?? false
        retryAfter = fields[RetryAfter.field]
        guard let target, let status else { return nil }
        self.target = target
        self.status = status
    }

    package var point: FaultPoint { isExecuted ? .commit : .request }

    /// A client that has followed it is at the operation itself: the ledger shows whether it pays once or twice.
    package var sparesFollowers: Bool { target == .sameHost }

    package func apply(_ outgoing: inout OutgoingResponse, _ context: FaultContext) throws(NotApplied) {
        if target == .downgrade, !context.isSecure { throw NotApplied("the connection is already in clear text") }
        let response = Substitute.redirect(target, status: status, retryAfter: retryAfter)
        if isExecuted { outgoing.substitute = response } else { outgoing.answer(response) }
    }

    package var settings: JSON {
        var object = JSONObject([Self.to.member(target), Self.status.member(status)])
        if isExecuted { object.set(Self.executed, true) }
        object.set(RetryAfter.field, retryAfter)
        return .object(object)
    }
}

extension RedirectTarget {
    private static let named: [RedirectTarget] = [.loop, .sameHost, .otherHost, .downgrade]

    fileprivate static let format = Format(
        .anyOf([
            .words(named.map(\.text)),
            .text(TextSchema("a URL", pattern: "[!-~\\u0080-\\uffff]*://[!-~\\u0080-\\uffff]*")),
        ]),
        read: { node, complaints in
            node.scalar.flatMap(RedirectTarget.init) ?? node.wrong(complaints, "loop, same-host, other-host, downgrade, or a URL")
        }, write: { .string($0.text) })

    init?(_ text: String) {
        if let named = RedirectTarget.named.first(where: { $0.text == text }) {
            self = named
        } else {
            guard text.contains("://"), text.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F }) else { return nil }
            self = .url(text)
        }
    }

    var text: String {
        switch self {
        case .loop: "loop"
        case .sameHost: "same-host"
        case .otherHost: "other-host"
        case .downgrade: "downgrade"
        case .url(let url): url
        }
    }
}
