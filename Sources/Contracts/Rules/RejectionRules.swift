import BankModel

extension ClientRule {
    /// Rules on permanent rejections.
    static let rejectionRules = [
        rejectedPaymentRule(
            "pay.final-refusal-not-retried",
            why: "A permanently rejected payment is reported as rejected and not retried (the draft, §2.7).",
            trigger: "a payment was permanently rejected", isEver: false,
            // What is not found may be there soon (RFC 9110 §15.5.5), such as a payee that was made a moment ago.
            rejection: { $0.isFinalRejection && $0.status != 404 && !$0.wasAnswered(.keyMismatch) }),
        rejectedPaymentRule(
            "pay.mismatch-not-retried",
            why: "A key that belongs to another payment leads to a rejection; a retry cannot succeed (the draft, §2.7).",
            trigger: "a payment's key belonged to another payment", isEver: true,
            rejection: { $0.wasAnswered(.keyMismatch) }),
        ClientRule(
            "retry.not-on-client-errors", why: "An invalid request stays invalid, so the client must not repeat it (RFC 9110 §15.5).",
            trigger: "a request other than a payment was permanently rejected (404 excluded: the resource may appear later)",
            restsOn: [.responseRead, .oneTab, .onePageLoad]
        ) { scene, result in
            var runs: [[String]: Rejections] = [:]
            // A browser sends preflights by itself, before each request of a page.
            for request in scene.requests where !request.has(.pay) && request.method != "OPTIONS" {
                // The same content may have another media type (RFC 9110 §15.5.16).
                let name = request.sameness + [request.mediaType ?? ""]
                guard request.isFinalRejection, request.status != 404 else {
                    runs.removeValue(forKey: name)?.end(&result)
                    continue
                }
                // A later request may be somebody's order, or an app that polls.
                if let last = runs[name]?.possible.last, request.monoNanoseconds > (last.endNanoseconds ?? .max) + Scene.Timing.quick {
                    runs.removeValue(forKey: name)?.end(&result)
                }
                runs[name, default: Rejections()].add(request, scene)
            }
            for run in runs.values.sorted(by: { $0.firstSeq < $1.firstSeq }) { run.end(&result) }
        },
    ]

    /// The same payment, sent again at a program's speed: under its key, or under a new one as a second payment order.
    ///
    /// - Parameter isEver: whether it stays wrong later. The user may ask for it again, so the journal cannot decide then; else it is
    ///   right, because the user may have paid money in. A rejected key is corrected by a new one, which is right.
    private static func rejectedPaymentRule(
        _ id: String, why: String, trigger: String, isEver: Bool, rejection isRejection: @escaping @Sendable (JournalEntry) -> Bool
    ) -> ClientRule {
        ClientRule(id, why: why, trigger: trigger, restsOn: [.responseRead, .payment]) { scene, result in
            // Reported once for each key: a loop is one mistake.
            var reported: Set<String> = []
            var known: Set<String> = []
            let makesTwins = scene.makesTwins
            for position in scene.index.payments {
                let rejection = scene.requests[position]
                known.insert(rejection.key ?? "")
                guard isRejection(rejection), !reported.contains(rejection.key ?? ""), let ended = rejection.endNanoseconds else {
                    continue
                }
                // Only at a program's speed, or under its own key.
                let alike = isEver ? scene.index.byKey[rejection.key ?? ""] ?? [] : scene.index.alike(rejection)
                let latest = isEver ? Int64.max : ended + Scene.Timing.quick
                let successors = scene.unaskedSuccessors(of: rejection, among: alike, until: latest) { later in
                    guard later.has(.pay), !later.isOfAnotherPerson(than: rejection), later.hasBody(of: rejection) == true else {
                        return false
                    }
                    // The bank executed it after all: money came in meanwhile, and who asked again may know that.
                    if later.succeeded, !rejection.isByFault { return false }
                    // The same content may have another media type (RFC 9110 §15.5.16).
                    if rejection.status == 415, later.mediaType != rejection.mediaType { return false }
                    let isQuick = later.monoNanoseconds < ended + Scene.Timing.quick
                    if later.key == rejection.key { return later.path == rejection.path && (isEver || isQuick) }
                    // A bad request may be one for its key.
                    guard !isEver, isQuick, !rejection.wasAnswered(.badRequest), let key = later.key else { return false }
                    return later.orderAddress == rejection.orderAddress && !known.contains(key)
                } isRepeat: {
                    _ in
                    true
                }
                let again = successors.certain
                if let again { reported.formUnion([rejection.key ?? "", again.key ?? ""]) }
                if let again, again.key != rejection.key,
                    let doubt = scene.doubt(aboutRenamed: again, after: rejection, makesTwins: makesTwins)
                {
                    result.add(.rejectedPaymentAgain(rejection, again), unless: doubt)
                } else {
                    result.add(rejection, successors) { .rejectedPaymentAgain(rejection, $0) }
                }
            }
        }
    }
}

extension JournalEntry {
    fileprivate var mediaType: String? { requestHeaders.value(of: "content-type") }
}

/// The same request, rejected again and again at a program's speed.
private struct Rejections {
    /// Those that were each sent in knowledge of the rejection before; what is read side by side is one try.
    private var certain: [JournalEntry] = []
    /// The same with those that the journal cannot decide.
    private(set) var possible: [JournalEntry] = []
    private var cause: InconclusiveReason?

    /// More are too many.
    private static let most = 2

    var firstSeq: Int { possible.first?.seq ?? 0 }

    mutating func add(_ request: JournalEntry, _ scene: Scene) {
        var order = possible.last.map { scene.order(of: request, after: $0) } ?? .after
        if order == .after, let last = possible.last, scene.mayBeOfAnotherDevice(request, than: last) { order = .open(.device) }
        if case .open(let cause) = order { self.cause = cause }
        if order == .before { possible.removeLast() }
        possible.append(request)
        guard certain.count <= Rejections.most else { return }
        if order != .after { certain.removeLast() }
        certain.append(request)
    }

    /// Adds the finding, once it is complete.
    func end(_ result: inout RuleResult) {
        let shown = certain.count > Rejections.most ? certain : possible
        guard shown.count > Rejections.most, let third = shown.dropFirst(Rejections.most).first else { return result.add() }
        let violation = Finding.rejectedRequestAgain(third, Array(shown.prefix(Rejections.most)))
        if certain.count > Rejections.most {
            result.add(violation)
        } else if let cause {
            result.add(violation, unless: cause)
        }
    }
}

extension Finding {
    static func rejectedPaymentAgain(_ rejection: JournalEntry, _ again: JournalEntry) -> Finding {
        let isSameKey = again.key == rejection.key
        return Finding(
            "\(again.named) sent the payment that \(rejection.named) rejected with \(rejection.status ?? 0), under \(fixed: isSameKey ? "the same key" : "a new key")",
            "a permanently rejected payment must not be sent again", in: [rejection, again])
    }

    /// - Parameter earlier: the first two.
    static func rejectedRequestAgain(_ third: JournalEntry, _ earlier: [JournalEntry]) -> Finding {
        Finding(
            "\(third.named) sent the same request for the third time within 1 s of being rejected with \(earlier.last?.status ?? 0)",
            "a request that the bank rejected stays invalid: send it at most twice", source: "RFC 9110 §15.5", in: earlier + [third])
    }
}
