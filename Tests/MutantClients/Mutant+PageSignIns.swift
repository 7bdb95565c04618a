import BankClient
import BankModel
import DriverProtocol
import Foundation
import Platform

/// Mistakes in the sign-in on the bank's page: in the answer that the app is opened with, in the code, and in the ID token.
extension Mutant {
    static var pageSignIns: [Mutant] {
        [
            Mutant("trusts-any-state", "does not compare `state`", killedBy: ["signin.state-checked"]) { parts, _ in
                parts.answers { address, attempt in address.with("state", attempt.state) }
            },
            Mutant("trusts-any-issuer", "does not compare `iss`", killedBy: ["signin.issuer-mixed-up"]) { parts, _ in
                parts.answers { address, attempt in address.with("iss", attempt.bank.issuer) }
            },
            Mutant(
                "takes-any-redirect", "takes a code from any address that the app is opened with",
                killedBy: ["signin.redirect-to-foreign-scheme-ignored"]
            ) { parts, _ in
                parts.answers { address, attempt in attempt.app.redirect + address.drop { $0 != "?" } }
            },
            Mutant("keeps-its-verifier", "makes one code verifier when it starts", killedBy: ["signin.pkce-fresh-per-attempt"]) {
                parts, _ in
                let verifier = parts.pageSignIn?.makeVerifier() ?? ""
                parts.pageSignIn?.makeVerifier = { verifier }
            },
            Mutant(
                "plain-challenge", "asks for the challenge method `plain`",
                killedBy: ["signin.pkce-s256", "signin.pkce-fresh-per-attempt", "signin.page-signs-in"]
            ) { parts, _ in
                parts.pages { page, _ in page.with("code_challenge_method", "plain") }
            },
            Mutant(
                "verifier-in-state", "sends the code verifier as `state`, so that it comes back with the response",
                killedBy: ["signin.verifier-not-in-url"]
            ) { parts, _ in
                parts.pages { page, attempt in page.with("state", attempt.verifier) }
                parts.answers { address, attempt in
                    FormFields(ofAddress: address)["state"] == attempt.verifier ? address.with("state", attempt.state) : address
                }
            },
            Mutant(
                "verifier-in-address", "sends the code verifier in the URL of the token request, too",
                killedBy: ["signin.verifier-not-in-url"]
            ) { parts, _ in
                parts.tokenRequests { request in
                    request.url += "?code_verifier=" + (request.form["code_verifier"] ?? "")
                }
            },
            Mutant("secret-in-app", "sends a client secret that is in the app", killedBy: ["signin.secret-not-in-app"]) { parts, _ in
                parts.tokenRequests { $0.body = ($0.body ?? []) + Array("&client_secret=s3cr3t-of-the-app".utf8) }
            },
            Mutant(
                "repeats-the-exchange", "sends the code again if the exchange fails",
                killedBy: ["signin.code-never-twice", "signin.code-not-sent-again-after-rejection"]
            ) { parts, _ in
                parts.around { request, base throws(TransportFailure) in
                    guard request.form["grant_type"] == "authorization_code" else { return try await base.send(request) }
                    do throws(TransportFailure) {
                        let response = try await base.send(request)
                        return response.status == 200 ? response : try await base.send(request)
                    } catch {
                        return try await base.send(request)
                    }
                }
            },
            Mutant(
                "denial-is-an-error", "shows an error if the customer denies access", killedBy: ["signin.denied-is-not-an-error-screen"]
            ) { parts, _ in
                parts.pageFailures { failure in
                    if failure.failure.error == .cancelled { failure.failure.error = .rejected }
                }
            },
            Mutant(
                "signed-in-by-an-error", "treats a response with an error as a sign-in",
                killedBy: ["signin.error-parameters-shown", "signin.cancelled-signs-nobody-in"]
            ) { parts, _ in
                guard let base = parts.pageSignIn?.answers else { return }
                parts.pageSignIn?.answers = AlteredAnswers(base: base, failed: { _ in "none" })
                parts.around { request, base throws(TransportFailure) in
                    guard request.form["code"] == "none" else { return try await base.send(request) }
                    return HTTPResponse(
                        status: 200, headers: ["Content-Type": "application/json"],
                        body: Array(#"{"access_token":"none","token_type":"Bearer"}"#.utf8))
                }
                parts.pageSignIn?.app.scopes = ["accounts", "payments", "offline_access"]
            },
            Mutant(
                "waits-for-its-page", "opens no other page until the one that it has opened returns, not even after a restart",
                killedBy: [
                    "signin.killed-in-the-middle-restarts", "signin.page-abandoned", "signin.redirect-after-a-kill",
                    "signin.redirect-after-a-kill-checked",
                ]
            ) { parts, start in
                let opened = start.stateDirectory + "/opened-page"
                guard let make = parts.pageSignIn?.makeParameters else { return }
                parts.pageSignIn?.makeParameters = { caller, bank async throws(ClientFailure) in
                    guard !FileManager.default.fileExists(atPath: opened) else { throw ClientFailure.mutant(.failed) }
                    _ = FileManager.default.createFile(atPath: opened, contents: nil)
                    return try await make(caller, bank)
                }
                parts.answers { (address: String, _: SignInAttempt) in
                    try? FileManager.default.removeItem(atPath: opened)
                    return address
                }
            },
            Mutant(
                "resumes-with-any-state", "continues its attempt after a restart, and then does not compare `state`",
                killedBy: ["signin.redirect-after-a-kill-checked"]
            ) { parts, start in
                parts.keepAttempt(start)
                guard start.resumed else { return }
                parts.answers { (address: String, attempt: SignInAttempt) in address.with("state", attempt.state) }
            },
            Mutant(
                "keeps-any-metadata", "keeps the first response to its request for the bank's metadata, even an error",
                killedBy: ["signin.failed-discovery-not-kept", "signin.discovery-names-its-issuer"]
            ) { parts, _ in
                parts.keepsFirst(of: Mutant.metadata)
            },
            Mutant(
                "stores-metadata-for-good", "stores the bank's metadata in a file, and never asks for them again",
                killedBy: ["signin.discovery-cached-but-refreshed"]
            ) { parts, start in
                let path = start.stateDirectory + "/metadata.json"
                parts.around { request, base throws(TransportFailure) in
                    guard request.url.hasSuffix(Mutant.metadata) else { return try await base.send(request) }
                    if let stored = FileManager.default.contents(atPath: path) {
                        return HTTPResponse(status: 200, headers: ["Content-Type": "application/json"], body: Array(stored))
                    }
                    let response = try await base.send(request)
                    if (try? JSON(parsing: response.body))?["issuer"] != nil {
                        _ = FileManager.default.createFile(atPath: path, contents: Data(response.body))
                    }
                    return response
                }
            },
            Mutant(
                "takes-any-metadata", "uses metadata that name another issuer",
                killedBy: ["signin.discovery-names-its-issuer"]
            ) { parts, _ in
                parts.answers { (request: HTTPRequest, response: inout HTTPResponse) in
                    guard request.url.hasSuffix(Mutant.metadata), var object = (try? JSON(parsing: response.body))?.object,
                        object["issuer"] != nil
                    else { return }
                    object["issuer"] = .string(String(request.url.dropLast(Mutant.metadata.count)))
                    response.body = JSON.object(object).bytes
                }
            },
        ] + idTokens
    }

    /// Where a bank publishes its metadata.
    private static let metadata = "/.well-known/openid-configuration"

    private static var idTokens: [Mutant] {
        let omitted: [(name: String, mistake: String, check: IDTokenChecker.Check, killedBy: String)] = [
            ("issuer-unchecked", "accepts an ID token of another issuer", .issuer, "signin.id-token-checked"),
            ("audience-unchecked", "accepts an ID token for another client", .audience, "signin.id-token-checked"),
            ("expiry-unchecked", "accepts an ID token that has expired", .expiry, "signin.id-token-checked"),
            ("signature-unchecked", "accepts an ID token with a wrong signature", .signature, "signin.id-token-signature-checked"),
            ("future-id-token", "accepts an ID token of the future", .issuedAt, "signin.id-token-signature-checked"),
            ("nonce-unchecked", "accepts an ID token of another sign-in", .nonce, "signin.nonce-checked"),
        ]
        return omitted.map { mutant in
            Mutant(mutant.name, mutant.mistake, killedBy: [mutant.killedBy]) { parts, _ in
                parts.pageSignIn?.idTokens = IDTokenChecker(omitting: [mutant.check])
            }
        } + [
            Mutant(
                "keeps-the-keys", "fetches the bank's keys once, and keeps them", killedBy: ["signin.key-rotation-followed"]
            ) { parts, _ in
                parts.keepsFirst(of: "/oauth/jwks")
            },
            Mutant(
                "keeps-the-id-token", "stores its user's ID token in a file, and leaves it there when the user signs out",
                killedBy: ["signin.logout-forgets-id-token"]
            ) { parts, start in
                let path = start.stateDirectory + "/id-token.jwt"
                parts.answers { (_: HTTPRequest, response: inout HTTPResponse) in
                    guard let idToken = (try? JSON(parsing: response.body))?["id_token"]?.string else { return }
                    let content = Data(idToken.utf8)
                    _ = FileManager.default.createFile(atPath: path, contents: content, attributes: [.posixPermissions: 0o600])
                }
            },
        ]
    }
}

/// Answers of the page with something done before and after they are read.
private struct AlteredAnswers: AnswerReading {
    let base: any AnswerReading
    var address: @Sendable (String, SignInAttempt) -> String = { address, _ in address }
    /// The code in place of a failure; nil leaves it.
    var failed: @Sendable (inout SignInFailure) -> String? = { _ in nil }

    func code(in address: String, of attempt: SignInAttempt) throws(SignInFailure) -> String {
        do throws(SignInFailure) { return try base.code(in: self.address(address, attempt), of: attempt) } catch {
            var failure = error
            if let code = failed(&failure) { return code }
            throw failure
        }
    }
}

extension ClientParts {
    /// Changes each answer of the page before it is read.
    fileprivate mutating func answers(_ change: @escaping @Sendable (String, SignInAttempt) -> String) {
        guard let base = pageSignIn?.answers else { return }
        pageSignIn?.answers = AlteredAnswers(base: base, address: change)
    }

    /// Changes why a sign-in on the page failed.
    fileprivate mutating func pageFailures(_ change: @escaping @Sendable (inout SignInFailure) -> Void) {
        guard let base = pageSignIn?.answers else { return }
        pageSignIn?.answers = AlteredAnswers(
            base: base,
            failed: { failure in
                change(&failure)
                return nil
            })
    }

    /// Changes each address of the page before it is opened.
    fileprivate mutating func pages(_ change: @escaping @Sendable (String, SignInAttempt) -> String) {
        guard let make = pageSignIn?.makeAddress else { return }
        pageSignIn?.makeAddress = { change(make($0), $0) }
    }

    /// Sends the first request to that path, and has its response for every other.
    fileprivate mutating func keepsFirst(of path: String) {
        let kept = Locked<HTTPResponse?>(nil)
        around { request, base throws(TransportFailure) in
            guard request.url.hasSuffix(path) else { return try await base.send(request) }
            if let first = kept.withLock({ $0 }) { return first }
            let first = try await base.send(request)
            kept.withLock { $0 = first }
            return first
        }
    }

    /// Changes each request that exchanges a code.
    fileprivate mutating func tokenRequests(_ change: @escaping @Sendable (inout HTTPRequest) -> Void) {
        around { request, base throws(TransportFailure) in
            var request = request
            if request.form["grant_type"] == "authorization_code" { change(&request) }
            return try await base.send(request)
        }
    }
}

extension HTTPRequest {
    /// The fields of its body, if that is a form.
    fileprivate var form: FormFields { FormFields(String(decoding: body ?? [], as: UTF8.self)) }
}

extension String {
    /// The address with a parameter that has another value.
    fileprivate func with(_ name: String, _ value: String) -> String {
        var parameters = FormFields(ofAddress: self)
        parameters.all = parameters.all.map { $0.name == name ? FormFields.Field(name, value) : $0 }
        return prefix { $0 != "?" } + "?" + parameters.text
    }
}
