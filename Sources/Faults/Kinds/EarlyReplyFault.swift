package import BankModel

/// The response is sent before the request's body has ended, as by a gateway that rejects a request from its head alone. Nothing is executed.
///
/// The wire answers as soon as it has the head, unless a rule at this point selects by `attempt`, which needs the whole request.
/// A body that comes in one piece with its head is not waited for either, but may have been read by then.
package struct EarlyReplyFault: ExchangeFault {
    package static let kind = "early-reply"
    package static let about =
        "sends the response before the request's body has ended; then closes the connection, or drains the body"
    package static let effects: Set<FaultEffect> = [.changesContent]
    package static let example = #"{"status": 413, "then": "drain"}"#
    package static let fields: [any AnyField] = [status, text, then]
    package let point = FaultPoint.request
    package let need: FaultNeed? = .requestBody

    private static let status = Field("status", .int(in: 200...599), default: 413, "the response's status")
    private static let text = Field("body", .node(.any), "the body: a text, sent unchanged, or JSON; by default empty")
    private static let then = Field(
        "then", .choice(of: RestOfRequest.self), default: .close,
        "`close`: FIN, or on HTTP/2 RST_STREAM with NO_ERROR; `drain`: the rest of the body is read and dropped, and the connection "
            + "stays open"
    )

    /// The treatment of the rest of the request.
    package enum RestOfRequest: String, Sendable, CaseIterable {
        case close, drain
    }

    let response: CustomResponse
    let rest: RestOfRequest

    package init?(_ fields: Fields, _ complaints: Complaints) {
        let status = fields[Self.status]
        let text = fields[Self.text]
        let rest = fields[Self.then]
        guard let status, let rest else { return nil }
        response = CustomResponse(
            status: status, headers: text.map { [JournalEntry.Header("Content-Type", $0.bodyType)] } ?? [], body: text?.bodyBytes ?? [])
        self.rest = rest
    }

    package func apply(_ outgoing: inout OutgoingResponse, _ context: FaultContext) {
        outgoing.answer(.custom(response))
        if rest == .close { outgoing.steps.append(.endRequest) }
    }

    package var settings: JSON {
        var object = JSONObject([Self.status.member(response.status)])
        if !response.body.isEmpty {
            let isJSON = response.headers.first?.value == "application/json"
            let text = JSON.string(String(decoding: response.body, as: UTF8.self))
            object[Self.text.key] = isJSON ? (try? JSON(parsing: response.body)) ?? text : text
        }
        object.set(Self.then, rest)
        return .object(object)
    }
}

extension RuleBook {
    /// Whether a rule may answer a request before its body has ended.
    package var mayAnswerEarly: Bool {
        rules.contains { $0.rule.kind == EarlyReplyFault.kind } || outage?.rules.contains { $0.rule.kind == EarlyReplyFault.kind } ?? false
    }

    /// Applies an early response to an exchange of which only the head is known.
    ///
    /// - Returns: nil if none applies: then nothing was counted, and the whole request must be read.
    package mutating func applyEarly(
        _ exchange: ExchangeFacts, _ outgoing: inout OutgoingResponse, seed: UInt64, time: RuleTime
    ) -> FaultRecord? {
        // The number of the attempt is known only from the whole request.
        guard mayAnswerEarly, !active(at: time).contains(where: { $0.rule.point == .request && $0.rule.on.attempt != nil }) else {
            return nil
        }
        var trial = self
        var changed = outgoing
        guard let record = trial.apply(at: .request, exchange, &changed, seed: seed, time: time), record.applied,
            record.kind == EarlyReplyFault.kind
        else { return nil }
        self = trial
        outgoing = changed
        return record
    }
}
