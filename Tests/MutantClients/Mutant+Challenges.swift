import BankClient
import BankModel
import DriverProtocol
import Platform

/// Mistakes in how a challenged request is confirmed.
extension Mutant {
    static var challenges: [Mutant] {
        [
            Mutant("code-is-a-number", "sends the code as a number, without its leading zeros", killedBy: ["signin.otp-right"]) {
                parts, _ in
                parts.around { request, base throws(TransportFailure) in
                    var request = request
                    if request.isCode, let code = request.code { request.body = JSON.object(["code": .string("\(Int(code) ?? 0)")]).bytes }
                    return try await base.send(request)
                }
            },
            Mutant("repeats-a-wrong-code", "sends a wrong code again by itself", killedBy: ["signin.otp-wrong-shown"]) { parts, _ in
                parts.around { request, base throws(TransportFailure) in
                    let first = try await base.send(request)
                    guard request.isCode, first.status == 422 else { return first }
                    return try await base.send(request)
                }
            },
            Mutant(
                "locked-is-a-wrong-code", "asks for another code though the challenge is locked", killedBy: ["signin.locked-shown"]
            ) { parts, _ in
                parts.answers { request, response in
                    if request.isCode, response.status == 409 { response.replace("challenge-ended", by: "wrong-code") }
                }
            },
            Mutant(
                "polls-at-once", "ignores how long the bank asks it to wait between two polls",
                killedBy: ["signin.decoupled-polls-with-interval"]
            ) { parts, _ in
                parts.answers { request, response in
                    if response.status == 403 { response.replace("\"poll_after\":0.500", by: "\"poll_after\":0.020") }
                }
            },
            Mutant(
                "denied-is-approved", "treats a challenge that has ended as approved",
                killedBy: ["signin.decoupled-denied", "signin.redirect-denied-not-paid", "signin.read-redirect-denied-shown"]
            ) { parts, _ in
                parts.answers { request, response in
                    if request.isAboutChallenge { response.replace("\"state\":\"denied\"", by: "\"state\":\"approved\"") }
                }
            },
            Mutant(
                "expired-is-approved", "treats a challenge that has expired as approved",
                killedBy: ["signin.read-redirect-expired-asks-again"]
            ) { parts, _ in
                parts.answers { request, response in
                    if request.isAboutChallenge { response.replace("\"state\":\"expired\"", by: "\"state\":\"approved\"") }
                }
            },
            Mutant(
                "keeps-the-rejection-of-a-read",
                "shows the first response to a challenged read again, whatever the customer has decided since",
                killedBy: ["signin.read-redirect-approved-shows-rows"]
            ) { parts, _ in
                let first = Locked<HTTPResponse?>(nil)
                parts.around { request, base throws(TransportFailure) in
                    guard request.isOfOldRows else { return try await base.send(request) }
                    if let kept = first.withLock({ $0 }) { return kept }
                    let response = try await base.send(request)
                    if response.status == 403 { first.withLock { $0 = response } }
                    return response
                }
            },
            Mutant(
                "reads-until-it-may", "sends a challenged read again and again, also after the customer has denied it",
                killedBy: ["signin.read-redirect-denied-shown"]
            ) { parts, _ in
                parts.around { request, base throws(TransportFailure) in
                    var response = try await base.send(request)
                    for _ in 1..<20 where request.isOfOldRows && response.status == 403 { response = try await base.send(request) }
                    return response
                }
            },
            Mutant(
                "keeps-the-first-challenge", "answers the first challenge of a payment order even after that has expired",
                killedBy: ["signin.challenge-expired-new-attempt-same-order-once"]
            ) { parts, _ in
                let first = Locked<HTTPResponse?>(nil)
                parts.around { request, base throws(TransportFailure) in
                    if request.isPayment, let kept = first.withLock({ $0 }) { return kept }
                    let response = try await base.send(request)
                    if request.isPayment, response.status == 403 { first.withLock { $0 = response } }
                    return response
                }
            },
            Mutant(
                "new-key-after-the-challenge", "makes a new key when it sends a confirmed payment again",
                killedBy: ["signin.payment-under-challenge-keeps-its-key", "signin.redirect-approved-pays-once"]
            ) { parts, _ in
                let sent = Locked(0)
                parts.around { request, base throws(TransportFailure) in
                    var request = request
                    if request.isPayment {
                        let number = sent.withLock { sent in
                            sent += 1
                            return sent
                        }
                        if number > 1 { request.headers["Idempotency-Key"] = "\"new-key-\(number)\"" }
                    }
                    return try await base.send(request)
                }
            },
            Mutant(
                "takes-the-return-for-approval", "treats the customer's return as an approval, and asks the bank nothing",
                killedBy: ["signin.redirect-denied-not-paid", "signin.decoupled-denied", "signin.read-redirect-denied-shown"]
            ) { parts, _ in
                parts.around { request, base throws(TransportFailure) in
                    guard request.isAboutChallenge, request.method == "GET" else { return try await base.send(request) }
                    return HTTPResponse(
                        status: 200, headers: ["Content-Type": "application/json"], body: Array(#"{"state":"approved"}"#.utf8))
                }
            },
            Mutant(
                "forgets-challenged-payments", "keeps a challenged payment in memory only", killedBy: ["signin.killed-during-challenge"]
            ) { parts, _ in
                parts.outbox = ForgettableOutbox()
            },
        ]
    }
}

extension HTTPRequest {
    fileprivate var isAboutChallenge: Bool { url.contains("/v1/challenges/") }
    fileprivate var isCode: Bool { isAboutChallenge && method == "POST" }

    /// Whether it reads transactions from a date on.
    fileprivate var isOfOldRows: Bool { url.contains("/transactions?from=") }

    /// The code that it sends.
    fileprivate var code: String? { body.flatMap { try? JSON(parsing: $0) }?["code"]?.string }
}

extension HTTPResponse {
    /// Replaces a text in the body.
    fileprivate mutating func replace(_ text: String, by other: String) {
        body = Array(String(decoding: body, as: UTF8.self).replacing(text, with: other).utf8)
    }
}
