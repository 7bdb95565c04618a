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
        guard parts.challenges != nil, let page = parts.pageSignIn, let challenge = challenges.awaitingOnPage, let address = challenge.page,
            // With a token that cannot be read only a sign-in helps, as without one.
            (try? await parts.caller.keeper.current()) != nil
        else { return nil }
        let visit = ChallengeVisit(challenge: challenge.id, state: page.makeSecret())
        challenges.visit.begin(visit)
        let added = formEncoded([
            (name: "client_id", value: page.app.id), (name: "redirect_uri", value: page.app.redirect), (name: "state", value: visit.state),
        ])
        return address + (address.contains("?") ? "&" : "?") + added
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
