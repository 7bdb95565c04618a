import BankModel

/// Reads the answer that a bank's sign-in page sends to the app.
package protocol AnswerReading: Sendable {
    /// The code in the address that the app was opened with.
    ///
    /// - Throws: ``SignInFailure``: the bank's error, or a foreign address.
    func code(in address: String, of attempt: SignInAttempt) throws(SignInFailure) -> String
}

/// Accepts only the answer to the attempt: at the app's own address (RFC 8252 §8.10), with the attempt's `state` (RFC 6749 §10.12) and the
/// bank's `iss` (RFC 9207 §2.4).
package struct AnswerReader: AnswerReading {
    package init() {}

    package func code(in address: String, of attempt: SignInAttempt) throws(SignInFailure) -> String {
        guard address.prefix(while: { $0 != "?" && $0 != "#" }) == attempt.app.redirect else {
            throw foreign("the address is not the app's own")
        }
        let answer = FormFields(ofAddress: address)
        guard answer.repeated.isEmpty else { throw foreign("a parameter occurs twice") }
        guard answer["state"] == attempt.state else { throw foreign("`state` is not the app's") }
        let issuer = answer["iss"]
        guard issuer == attempt.bank.issuer || issuer == nil && !attempt.bank.namesIssuer else {
            throw foreign("`iss` does not name the bank")
        }
        if let error = answer["error"] { throw AnswerReader.failure(error, answer["error_description"]) }
        guard let code = answer["code"], !code.isEmpty else {
            throw SignInFailure(.decode, "the bank's response has neither a code nor an error")
        }
        return code
    }

    private func foreign(_ reason: String) -> SignInFailure {
        SignInFailure(.rejected, "this is not the response to the sign-in in progress: \(reason)", isForeign: true)
    }

    /// The bank's error (RFC 6749 §4.1.2.1).
    private static func failure(_ error: String, _ description: String?) -> SignInFailure {
        let detail = String((error + (description.map { ": \($0)" } ?? "")).prefix(300))
        return switch error {
        case "access_denied": SignInFailure(.cancelled, detail)
        case "server_error", "temporarily_unavailable": SignInFailure(.unavailable, detail)
        default: SignInFailure(.rejected, detail)
        }
    }
}
