import BankModel
import DriverProtocol
import Faults

extension ClientRule {
    /// Nothing continues without end.
    static let boundRules = [
        bound(
            "retry.bounded", most: 20,
            why: "A client stops retrying a request that fails repeatedly; endless retries prevent the bank from recovering.",
            trigger: "a request other than a payment failed", restsOn: [.oneTab, .sent], isMeant: { !$0.has(.pay) },
            sameness: { $0.sameness }),
        bound(
            "retry.payment-bounded", most: 10,
            why: "A client stops retrying a payment without a final response after a few attempts and reports its outcome as unknown.",
            trigger: "a payment got no final response", restsOn: [.key, .sent], isMeant: { $0.has(.pay) && $0.key != nil },
            sameness: { [$0.operation ?? "", $0.key ?? ""] }),
        ClientRule(
            "wire.redirect-loop-bounded",
            why: "A client stops following a redirect loop after a few redirects (RFC 9110 §15.4; browsers stop at 20, curl at 50).",
            trigger: "a request was redirected", restsOn: [], shows: "bounded"
        ) { scene, result in
            // The redirects that have not been followed yet, each with the steps that led to it.
            var open: [(steps: [JournalEntry], path: Substring, ended: Int64)] = []
            for request in scene.requests {
                open.removeAll { $0.ended < request.monoNanoseconds - Scene.Timing.quick }
                let position = open.lastIndex { $0.ended < request.monoNanoseconds && request.isTarget(of: $0.path) }
                let steps = position.map { open.remove(at: $0).steps } ?? []
                guard request.isDelivered, request.isStatus(3), request.status != 304 else { continue }
                if let path = request.redirectPath {
                    // One more than show it, so that a loop is one finding.
                    let chain: [JournalEntry] = steps.suffix(mostSteps) + [request]
                    open.append((steps: chain, path: path, ended: request.endNanoseconds ?? .max))
                }
                result.add(steps.count == mostSteps ? .tooManyRedirects(steps, request, most: mostSteps) : nil)
            }
        },
        bounded(requests: 100, pages: 1000),
    ]

    /// `requests` is how many requests a step may cause, `pages` how many a list that comes in pages.
    private static func bounded(requests: Int, pages: Int) -> ClientRule {
        ClientRule(
            "invariant.bounded", needs: .steps,
            settings: Settings(
                field: Field("bounded", .node(.object(countSchema)), "the maximum number of requests that a step may cause"),
                schema: countSchema,
                read: { fields in
                    let (requests, pages) = (fields[requestCount], fields[pageCount])
                    guard let requests, let pages else { return nil }
                    return bounded(requests: requests, pages: pages)
                })
        ) { $0.bounded(&$1, requests: requests, pages: pages) }
    }

    private static let requestCount = Field(required: "requests", .int(in: 1...1_000_000), "the maximum number of requests for a step")
    private static let pageCount = Field(required: "pages", .int(in: 1...1_000_000), "the maximum number of requests for a list in pages")
    private static let countSchema = ObjectSchema("the bounds of `bounded`", fields: [requestCount, pageCount])

    /// Two or three reads in a row that each end in a loop look like one, so the bound is above what any client takes.
    private static let mostSteps = 160

    /// The length of time that is checked as one, in nanoseconds.
    private static let stretch: Int64 = 10_000_000_000

    /// The largest number of equal sequential requests within 10 s of which none succeeds. Polling, and a customer's repeats, stay below.
    private static func bound(
        _ id: String, most: Int, why: String, trigger: String, restsOn facts: [RecordedFact],
        isMeant: @escaping @Sendable (JournalEntry) -> Bool, sameness: @escaping @Sendable (JournalEntry) -> [String]
    ) -> ClientRule {
        ClientRule(id, why: why, trigger: trigger, restsOn: facts, shows: "bounded") { scene, result in
            var runs: [[String]: [JournalEntry]] = [:]
            // Reported once for each: a loop is one mistake.
            var reported: Set<[String]> = []
            var doubted: Set<[String]> = []
            for request in scene.requests where isMeant(request) && !request.isGivenUp {
                let name = sameness(request)
                guard request.isFailure else {
                    runs[name] = nil
                    continue
                }
                var run = (runs[name] ?? []).filter { $0.monoNanoseconds > request.monoNanoseconds - stretch }
                // Concurrent requests are one attempt.
                if let last = run.last, request.monoNanoseconds <= last.endNanoseconds ?? .max { run = run.dropLast() }
                // No more than show it: a loop without a pause may have thousands.
                run = run.suffix(most) + [request]
                runs[name] = run
                guard run.count > most, !reported.contains(name) else {
                    result.add()
                    continue
                }
                let finding = Finding.tooManyAttempts(run, request, most: most)
                let isOther = run.contains { scene.mayBeOfAnotherDevice(request, than: $0) }
                // A proxy may have made several attempts of each.
                if isOther || run.contains(where: \.isForwarded) {
                    if doubted.insert(name).inserted { result.add(finding, unless: isOther ? .device : .proxy) }
                } else {
                    reported.insert(name)
                    result.add(finding)
                }
            }
        }
    }
}

extension Scene {
    /// The bank may read a request this much later that was sent before a result was reported, in nanoseconds.
    static let onItsWay: Int64 = 250_000_000

    /// No step causes more requests than these, a list more pages, or one page more requests; and when no step is under way, none comes
    /// but those that an app sends by itself, such as a read ahead or an open payment of its outbox.
    fileprivate func bounded(_ result: inout RuleResult, requests: Int, pages: Int) {
        let asked = steps.filter { $0.action.asked != nil && evidence.steps[$0.n] != nil }
        for step in asked {
            let own = exchanges(during: step.n).filter { $0.method != nil }
            let isList = [.accounts, .transactions, .goals, .atms].contains(step.action.asked)
            let most = isList ? pages : requests
            // Each list is requested in its own pages; other requests of a step are counted separately.
            let count = isList ? Scene.most(own.map(\.path)) : own.count
            let same = Scene.most(own.map(\.line))
            if count > most {
                result.add(.tooMany(step.named, count, most: most, isSame: false))
            } else {
                result.add(same > requests ? .tooMany(step.named, same, most: requests, isSame: true) : nil)
            }
        }
        // The bank itself may have read requests late.
        guard !exchanges.contains(where: { $0.hasFault(.delaysConnection) }), let stray else { return }
        result.add(.strayRequest(stray))
    }

    /// How often the text that comes most often does.
    private static func most(_ texts: [String]) -> Int { Dictionary(grouping: texts) { $0 }.values.map(\.count).max() ?? 0 }

    /// The first request that came when nothing was asked for, and that no app sends by itself. A client that watches an account may send some
    /// at any time from then on.
    private var stray: JournalEntry? {
        let reported = steps.compactMap { step in evidence.steps[step.n].map { (step: step, report: $0) } }
        let polled = instance?.bank.decisionCalls ?? []
        let watched = reported.filter { $0.step.action.asked == .watch }.map(\.report.started).min() ?? .max
        var begins = reported.map(\.report.started).sorted()[...]
        var starts = processStarts[...]
        // What steps have asked the running processes for, and the requests that have come by themselves since the last step began.
        var asked: Set<String> = []
        var unasked: [String: [JournalEntry]] = [:]
        // When the last payment or sign-in came. A step that ended before has not asked for what comes after it.
        var changed = Int64.min
        return exchanges.first { exchange in
            let time = exchange.monoNanoseconds
            while let start = starts.first, start < time {
                starts.removeFirst()
                asked = []
            }
            while let start = begins.first, start <= time {
                begins.removeFirst()
                unasked = [:]
            }
            // After a payment or a sign-in an app reads the same again: it has changed.
            let isChange = exchange.committed && exchange.method != "GET"
            if isChange || (exchange.asksForToken && !exchange.has(.refresh)) {
                asked = []
                changed = time
                // Renewals are counted up to the next step.
                unasked = unasked.filter { $0.value.last?.method != "GET" }
            }
            let running = reported.filter { time >= $0.report.started && time <= max($0.report.started, $0.report.ended) + Scene.onItsWay }
            let earlier = unasked[exchange.line] ?? []
            let mayRead =
                earlier.count < Scene.readAttempts && !asked.contains(exchange.line)
                && earlier.allSatisfy { $0.isFailure || $0.isChangedSuccess }
            let mayRenew = earlier.count < Scene.renewals && earlier.allSatisfy { $0.succeeded || $0.isFailure }
            if running.contains(where: { $0.report.ended >= changed && exchange.isAnswer(to: $0.step) }) {
                asked.insert(exchange.line)
            } else if running.isEmpty {
                unasked[exchange.line] = earlier + [exchange]
            }
            guard exchange.method != nil, time < watched, running.isEmpty, !polled.contains(exchange.operation ?? "") else { return false }
            return !exchange.mayComeUnasked(isRead: mayRead, isRenewal: mayRenew) && !finishesOrder(exchange)
                && !(earlier.count < Scene.paymentAttempts && looksForOrder(exchange))
        }
    }

    /// How often a client may by itself attempt a read until the next step: TanStack Query repeats a read three times by default, RTK Query five.
    private static let readAttempts = 6
    /// How often a client may by itself renew its token until the next step.
    private static let renewals = 3
    /// How many attempts of a payment order, or equal reads that look for one, may precede one that no step requested.
    private static let paymentAttempts = 10

    /// When a process of the client was started beside or after the first one: it reads by itself what another has read.
    private var processStarts: [Int64] {
        var known: Set<Int> = [1]
        let starts = steps.compactMap { step -> Int64? in
            let before = evidence.steps.filter { $0.key < step.n }.map(\.value.ended).max() ?? .min
            switch step.action {
            case .kill: return evidence.steps[step.n]?.ended
            case .restart, .damageDisk: return before
            default: return known.insert(step.process).inserted ? before : nil
            }
        }
        return starts.sorted()
    }

    /// Whether it sends an open payment order, as the worker of an outbox does: under its key, and a few times at most.
    private func finishesOrder(_ payment: JournalEntry) -> Bool {
        guard payment.has(.pay), payment.key != nil, intent(of: payment) != nil else { return false }
        let earlier = payments.filter { $0.key == payment.key && $0.monoNanoseconds < payment.monoNanoseconds }
        let isOver = earlier.contains { $0.endsOrder && cameInTime($0) }
        return !isOver && earlier.count < Scene.paymentAttempts
    }

    /// Whether it may look for a payment order whose outcome is unknown: the list of transactions may show it.
    private func looksForOrder(_ read: JournalEntry) -> Bool {
        guard read.method == "GET", read.has(.transactions) else { return false }
        let earlier = payments.filter { $0.monoNanoseconds < read.monoNanoseconds }
        let over = Set(earlier.filter(\.endsOrder).compactMap(\.key))
        return earlier.contains { payment in payment.key.map { !over.contains($0) } ?? false }
    }
}

extension JournalEntry {
    fileprivate var line: String { "\(method ?? "") \(path)?\(query ?? "")" }

    /// Whether it may be what a step asks the client for: one of the operation's own requests, or one of no role. What a client reads in a
    /// sign-in or a payment without such a role, it reads ahead.
    fileprivate func isAnswer(to step: NumberedStep) -> Bool {
        guard let asked = step.action.asked else { return roles.isEmpty }
        return roles.contains(asked.rawValue) || (roles.isEmpty && ![.login, .authorizeFinish, .pay, .resume, .roundUp].contains(asked))
    }

    /// Whether an app sends it by itself, with no step under way: it signs out at the bank, which may take its time, reads ahead, asks how a
    /// payment stands, or renews its token before that expires or because a read ahead was rejected.
    ///
    /// - Parameters:
    ///   - isRead: whether it may be a read ahead: no step has asked for the same, and it repeats only what has failed.
    ///   - isRenewal: whether it may be a renewal: few equal ones have come before it, and the bank has rejected none of them.
    fileprivate func mayComeUnasked(isRead: Bool, isRenewal: Bool) -> Bool {
        // The safe methods (RFC 9110 §9.2.1): an app may ask by HEAD or OPTIONS whether the bank is there.
        let isSafe = ["GET", "HEAD", "OPTIONS"].contains(method ?? "")
        return has(.logout) || (has(.refresh) && isRenewal) || (isSafe && (isRead || has(.paymentStatus)))
    }

    /// Whether it is a success that a fault has changed: it may be one that is not final, such as a 202, or one that no client can read.
    fileprivate var isChangedSuccess: Bool { succeeded && hasFault(.changesContent) }

    /// Whether the response to a payment shows how its order ended.
    fileprivate var endsOrder: Bool { isFinalRejection || (succeeded && !isChangedSuccess) }

    /// Whether it may be tried again: no whole response, a fault of the bank, too many requests, or a key that is in flight.
    fileprivate var isFailure: Bool { isPassingFailure || wasAnswered(.keyInFlight) }

    /// Whether the client did not wait for the response, though the bank kept none back: its user left the screen.
    fileprivate var isGivenUp: Bool { receipt.end == .clientGone && !faults.contains(where: \.applied) }
}

extension Finding {
    static func tooMany(_ step: Phrase, _ count: Int, most: Int, isSame: Bool) -> Finding {
        isSame
            ? Finding(
                "the client sent the same request \(count) times in \(step)", "a step may send the same request at most \(most) times")
            : Finding("the client sent \(count) requests in \(step)", "a step may cause at most \(counted(most, "request"))")
    }

    static func strayRequest(_ exchange: JournalEntry) -> Finding {
        Finding(
            "\(exchange.named) came after the client had reported the result of every step",
            "while no step runs, a client neither repeats a read nor changes anything at the bank",
            in: [exchange], isAboutTime: true)
    }

    /// - Parameter run: the attempts, the last one too many.
    static func tooManyAttempts(_ run: [JournalEntry], _ last: JournalEntry, most: Int) -> Finding {
        Finding(
            "\(last.named) was attempt \(run.count) within 10 s of a request that fails each time",
            "at most \(most) attempts may follow each other",
            in: run)
    }

    static func tooManyRedirects(_ earlier: [JournalEntry], _ last: JournalEntry, most: Int) -> Finding {
        Finding(
            "\(last.named) was redirect \(earlier.count + 1) in a row", "a client follows at most \(most) redirects in a row",
            in: earlier + [last])
    }
}
