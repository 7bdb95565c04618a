import BankModel

/// A visit of the page on which the customer confirms a challenged request.
struct ChallengeVisit: Sendable, Hashable {
    /// The bank's id of the challenge.
    let challenge: String
    /// Comes back with the customer (RFC 6749 §10.12).
    let state: String
}

extension BankClient {
    /// The address of the page on which the signed-in customer confirms the newest challenge; nil if none awaits them on a page.
    func openedChallenge() async -> String? {
        guard let bank = parts.challenges, let page = parts.pageSignIn,
            // With a token that cannot be read only a sign-in helps, as without one.
            (try? await parts.caller.keeper.current()) != nil, let (intent, challenge) = await awaitingChallenge(bank),
            let address = challenge.page
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
