package import BankModel

/// A redirect in place of the reply. Nothing is executed.
package struct RedirectFault: ExchangeFault {
    package static let kind = "redirect"
    package static let about = "to `loop`, `other-host`, `downgrade` or a URL"
    package static let example = #"{"to": "loop", "status": 307}"#
    package let point = FaultPoint.request

    let target: RedirectTarget
    let status: Int

    package init?(_ fields: Fields, _ complaints: Complaints) {
        let to = fields.required("to")
        status = fields["status"].flatMap { $0.int(in: 301...308, complaints) } ?? 302
        guard let text = to?.scalar, let target = RedirectTarget(text) else {
            if let to { complaints.add(found: to.kindName, expected: "loop, other-host, downgrade, or a URL", at: to.place) }
            return nil
        }
        self.target = target
    }

    package func strike(_ sending: inout Sending, _ context: StrikeContext) throws(NotApplied) {
        if target == .downgrade, !context.isSecure { throw NotApplied("the connection is already in clear text") }
        sending.answer(.redirect(target, status: status))
    }

    package var settings: JSON { ["to": .string(target.text), "status": .int(status)] }
}

extension RedirectTarget {
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
