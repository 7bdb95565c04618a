package import BankModel

/// Interim responses (1xx) before the final one: a client must read past them (RFC 9110 §15.2).
package struct EarlyHintsFault: ExchangeFault {
    package static let kind = "early-hints"
    package static let about = "sends interim responses before the final one: 103 with `Link`, or an unrequested 100 or 102"
    package static let effects: Set<FaultEffect> = [.wholeResponse, .addsBytes]
    package static let example = #"{"status": 103, "count": 2}"#
    package static let fields: [any AnyField] = [status, count]
    package let point = FaultPoint.head

    private static let status = Field("status", .choice(of: Interim.self), default: .earlyHints, "the interim status")
    private static let count = Field("count", .int(in: 1...100), default: 1, "the number of interim responses")

    /// An interim status. Not 101: what follows that is another protocol.
    package enum Interim: String, Sendable, CaseIterable {
        /// Continue (RFC 9110 §15.2.1).
        case goOn = "100"
        /// Processing (RFC 2518 §10.1).
        case processing = "102"
        /// Early Hints (RFC 8297).
        case earlyHints = "103"
    }

    let status: Interim
    let count: Int

    package init?(_ fields: Fields, _ complaints: Complaints) {
        guard let status = fields[Self.status], let count = fields[Self.count] else { return nil }
        self.status = status
        self.count = count
    }

    package func apply(_ outgoing: inout OutgoingResponse, _ context: FaultContext) throws(NotApplied) {
        guard let head = outgoing.steps.firstIndex(of: .head), let number = Int(status.rawValue) else {
            throw NotApplied("the response has no head")
        }
        let headers = status == .earlyHints ? [JournalEntry.Header("Link", "</style.css>; rel=preload; as=style")] : []
        outgoing.steps.insert(contentsOf: Array(repeating: .interim(status: number, headers), count: count), at: head)
    }

    package var settings: JSON { .object(JSONObject([Self.status.member(status), Self.count.member(count)])) }
}
