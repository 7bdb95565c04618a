import BankModel
import DriverProtocol
import Platform

/// A request that the bank makes the user confirm.
package struct PendingChallenge: Sendable, Hashable {
    package var id: String
    /// How long to wait between two questions about it.
    package var interval: Duration
    /// The page on which the user confirms it; nil if it is confirmed elsewhere.
    package var page: String?
    /// Whether that page has been opened since the bank demanded the confirmation.
    var wasOpened = false

    /// A challenge that is confirmed on a page of the bank.
    init(id: String, page: String) {
        self.id = id
        self.page = page
        interval = .seconds(2)
    }

    /// Reads the members of a problem; nil if it names no challenge, or one of an unknown kind.
    init?(problem: JSON) {
        guard let id = problem["challenge"]?.string, let kind = problem["challenge_kind"]?.string,
            ["otp", "decoupled", "redirect"].contains(kind)
        else { return nil }
        let seconds = problem["poll_after"]?.number.flatMap { Double($0.digits) } ?? 0
        self.id = id
        if kind == "redirect" { page = problem["challenge_url"]?.string.flatMap { Origin($0) == nil ? nil : $0 } }
        // A bank that names no interval, or a useless one, is asked every two seconds.
        interval = seconds > 0 && seconds <= 60 ? .seconds(seconds) : .seconds(2)
    }
}

/// What became of a challenge.
package enum ChallengeState: String, Sendable, CaseIterable {
    case pending, approved, denied, locked, expired
    /// The code was wrong, and another can be tried.
    case wrongCode = "wrong_code"

    /// Whether the user can still confirm the request.
    var isOpen: Bool { [.pending, .wrongCode].contains(self) }

    /// Reads the member `state`.
    fileprivate init(reading json: JSON?) throws(ClientFailure) {
        self = try needed(json?["state"]?.string.flatMap(ChallengeState.init), "known state of a challenge")
    }
}

/// A bank whose challenges can be answered.
package protocol ChallengeAnswering: Sendable {
    /// Sends the code that the user has typed, once: each wrong one counts.
    func answer(_ caller: BankCaller, _ challenge: PendingChallenge, code: String) async throws(ClientFailure) -> ChallengeState
    /// Asks whether the user has approved.
    func state(_ caller: BankCaller, of challenge: PendingChallenge) async throws(ClientFailure) -> ChallengeState
}

/// The challenges of the signed-in customer, by payment intent; that of the last challenged read under an empty one. They are in memory
/// alone: under its key a payment gets the same challenge again.
final class OpenChallenges: Sendable {
    private struct State {
        /// Nil for one that has ended.
        var all: [String: PendingChallenge?] = [:]
        /// The intents of those that the user confirms on a page of the bank, the newest last.
        var onPage: [String] = []
        /// What the last challenged read asked for.
        var question: [String?] = []

        /// Whether the intent's challenge is still that one: a request that was sent again may have got another.
        func has(_ challenge: PendingChallenge, for intent: String) -> Bool {
            guard let known = all[intent] else { return false }
            return known?.id == challenge.id
        }

        mutating func end(_ intent: String) {
            guard all[intent] != nil else { return }
            all[intent] = .some(nil)
            takeOffPage(intent)
        }

        mutating func takeOffPage(_ intent: String) { onPage.removeAll { $0 == intent } }
    }

    private let state = Locked(State())
    /// The visit of a challenge's page that is in progress.
    let visit = PendingAttempt<ChallengeVisit>()

    /// Nil if none is known; a known one that has ended is nil in it.
    subscript(intent: String) -> PendingChallenge?? { state.withLock { $0.all[intent] } }

    /// The newest one that the user confirms on a page of the bank, with its intent; nil if there is none.
    var awaitingOnPage: (intent: String, challenge: PendingChallenge)? {
        state.withLock { state in
            guard let intent = state.onPage.last, let known = state.all[intent], let challenge = known else { return nil }
            return (intent, challenge)
        }
    }

    /// - Parameter question: what the read asked for; nil for a payment.
    func note(_ failure: ClientFailure, for intent: String, read question: [String?]? = nil) {
        guard let challenge = failure.challenge else { return }
        state.withLock { state in
            state.all[intent] = .some(challenge)
            state.takeOffPage(intent)
            if challenge.page != nil { state.onPage.append(intent) }
            if let question { state.question = question }
        }
    }

    /// The payment has been made: its challenge has ended, even if the app has not requested its result.
    func settle(_ intent: String) { state.withLock { $0.end(intent) } }

    /// The bank has answered a read: if it was the challenged one, its challenge has ended.
    func settle(read question: [String?]) {
        state.withLock { state in
            if state.question == question { state.end("") }
        }
    }

    /// The bank has said that the challenge has ended.
    func end(_ challenge: PendingChallenge, for intent: String) {
        state.withLock { state in
            if state.has(challenge, for: intent) { state.end(intent) }
        }
    }

    /// The challenge no longer awaits the user on its page; its result has not been requested yet.
    func takeOffPage(_ challenge: PendingChallenge, for intent: String) {
        state.withLock { state in
            if state.has(challenge, for: intent) { state.takeOffPage(intent) }
        }
    }

    /// Begins a visit of a challenge's page.
    func open(_ challenge: PendingChallenge, for intent: String, _ begun: ChallengeVisit) {
        visit.begin(begun)
        var opened = challenge
        opened.wasOpened = true
        state.withLock { state in
            if state.has(challenge, for: intent) { state.all[intent] = .some(opened) }
        }
    }

    func forget() {
        state.withLock { $0 = State() }
        leavePage()
    }

    /// No page of a challenge is open; what awaits the user still does.
    func leavePage() { visit.abandon() }
}

extension BankClient {
    /// Confirms a request that the bank has challenged: sends the user's code, or waits until they have approved elsewhere. An
    /// approved payment is then sent again under its key, which brings its receipt.
    ///
    /// - Parameters:
    ///   - intent: that of the payment; nil for the last challenged read.
    ///   - code: what the user has typed; nil for a challenge that takes no code.
    /// - Returns: what became of the challenge, and the receipt of the payment that was made.
    /// - Throws: ``ClientFailure`` `nothingToDo` if nothing is to be confirmed: pay again, and there may be a new challenge.
    package func answerChallenge(
        _ intent: String?, code: String?
    ) async throws(ClientFailure) -> (state: ChallengeState, receipt: PaymentReceipt?) {
        guard let bank = parts.challenges else { throw notOffered(.challengeAnswer) }
        let name = intent ?? ""
        if challenges[name] == nil, let intent {
            // The app was restarted meanwhile.
            do throws(ClientFailure) { return (.approved, try await resume(intent)) } catch {
                guard error.challenge != nil else { throw error }
            }
        }
        guard let known = challenges[name], let challenge = known else {
            throw ClientFailure(.nothingToDo, "no request waits for a confirmation", mayHaveLeft: false)
        }
        let state: ChallengeState
        if let code { state = try await bank.answer(parts.caller, challenge, code: code) } else { state = try await poll(challenge, bank) }
        if !state.isOpen { challenges.end(challenge, for: name) }
        guard state == .approved, let intent else { return (state, nil) }
        return (state, try await resume(intent))
    }

    /// Sends a payment, and notes its challenge, or that it has none any more.
    func noting<Paid: Sendable>(
        _ intent: String, _ send: () async throws(ClientFailure) -> Paid
    ) async throws(ClientFailure) -> Paid {
        do throws(ClientFailure) {
            let paid = try await send()
            challenges.settle(intent)
            return paid
        } catch {
            challenges.note(error, for: intent)
            throw error
        }
    }

    /// Asks until the challenge has ended, at the bank's interval, for 15 seconds at most. A question that failed says nothing about it.
    private func poll(_ challenge: PendingChallenge, _ bank: any ChallengeAnswering) async throws(ClientFailure) -> ChallengeState {
        let (clock, began) = (parts.caller.clock, parts.caller.clock.uptime())
        while true {
            do throws(ClientFailure) {
                let state = try await bank.state(parts.caller, of: challenge)
                if state != .pending { return state }
            } catch {
                guard error.retryable else { throw error }
            }
            guard clock.uptime() - began + challenge.interval < .seconds(15) else { return .pending }
            guard (try? await clock.sleep(for: challenge.interval)) != nil else {
                throw ClientFailure(.cancelled, "cancelled while waiting for the approval", mayHaveLeft: true)
            }
        }
    }

    /// The address of the page on which the signed-in customer confirms the newest challenge; nil if none awaits them on a page.
    func openedChallenge() async -> String? {
        guard let bank = parts.challenges, let page = parts.pageSignIn, await hasToken,
            let (intent, challenge) = await awaitingChallenge(bank), let address = challenge.page
        else { return nil }
        let visit = ChallengeVisit(challenge: challenge.id, state: page.makeSecret())
        challenges.open(challenge, for: intent, visit)
        let added = formEncoded([
            (name: "client_id", value: page.app.id), (name: "redirect_uri", value: page.app.redirect), (name: "state", value: visit.state),
        ])
        return address + (address.contains("?") ? "&" : "?") + added
    }

    /// The newest challenge that awaits the customer on a page; nil if none does, or a sign-in must come first.
    ///
    /// If its page has been opened before, the customer may have decided without coming back, or too late: the bank then shows an error there,
    /// and no way back to the app. So the bank is asked first; while it does not answer, the challenge may still be open.
    private func awaitingChallenge(_ bank: any ChallengeAnswering) async -> (intent: String, challenge: PendingChallenge)? {
        while let newest = challenges.awaitingOnPage, newest.challenge.wasOpened {
            do throws(ClientFailure) {
                let state = try await bank.state(parts.caller, of: newest.challenge)
                if state.isOpen { return newest }
            } catch {
                if [.unauthorized, .consentExpired].contains(error.error) { return nil }
                if error.error != .notFound { return newest }
            }
            challenges.takeOffPage(newest.challenge, for: newest.intent)
        }
        return challenges.awaitingOnPage
    }

    /// Ends the visit of a challenge's page. The customer stays signed in, whatever they have decided: the return does not show it, and
    /// ``answerChallenge(_:code:)`` asks the bank.
    ///
    /// An address that is not the return from this visit changes nothing: anybody can open the app with one.
    ///
    /// - Returns: false if no challenge's page is open.
    func finishChallenge(_ address: String) throws(ClientFailure) -> Bool {
        guard let visit = challenges.visit.current, let app = parts.pageSignIn?.app else { return false }
        let answer = FormFields(ofAddress: address)
        guard address.prefix(while: { $0 != "?" && $0 != "#" }) == app.redirect, answer.repeated.isEmpty, answer["state"] == visit.state,
            answer["challenge"] == visit.challenge, [nil, parts.caller.baseURL].contains(answer["iss"])
        else { throw ClientFailure(.rejected, "this is not the return from the page that is open", mayHaveLeft: false) }
        challenges.visit.end(visit)
        return true
    }
}

extension CounterfoilBank: ChallengeAnswering {
    package func answer(_ caller: BankCaller, _ challenge: PendingChallenge, code: String) async throws(ClientFailure) -> ChallengeState {
        let body = JSON.object(["code": .string(code)]).bytes
        let call = BankCall.json("POST", "/v1/challenges/\(percentEncoded(challenge.id))", body, expected: [200])
        let answer = try await caller.exchange(call)
        switch answer.verdict.problem {
        case "wrong-code": return .wrongCode
        case "challenge-ended": return try ChallengeState(reading: try? JSON(parsing: answer.response.body))
        default: return try ChallengeState(reading: try caller.content(answer, of: call))
        }
    }

    package func state(_ caller: BankCaller, of challenge: PendingChallenge) async throws(ClientFailure) -> ChallengeState {
        try ChallengeState(reading: try await caller.json(.get("/v1/challenges/\(percentEncoded(challenge.id))")))
    }
}

/// A visit of the page on which the customer confirms a challenged request.
struct ChallengeVisit: Sendable, Hashable {
    /// The bank's id of the challenge.
    let challenge: String
    /// Comes back with the customer (RFC 6749 §10.12).
    let state: String
}
