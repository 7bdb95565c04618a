import BankClient
import BankModel
import ClientDriver
import Foundation

/// Mistakes by which a secret gets into an address or a log.
extension Mutant {
    static var invariantSecrets: [Mutant] {
        [
            Mutant(
                "password-in-query", "sends name and password in the query of the sign-in as well, like a GET form",
                killedBy: ["invariant.no-secret-in-address in pay.new-intent-new-key"], control: withoutTokens
            ) { parts, _ in
                parts.around { request, base throws(TransportFailure) in
                    var request = request
                    if let fields = request.signInFields { request.url += "?" + fields }
                    return try await base.send(request)
                }
            },
            Mutant(
                "refresh-token-in-query", "puts the refresh token into the URL of the refresh",
                killedBy: ["invariant.no-secret-in-address in auth.refresh-rotation-persisted"]
            ) { parts, _ in
                parts.around { request, base throws(TransportFailure) in
                    var request = request
                    let form = request.body.map { String(decoding: $0, as: UTF8.self) } ?? ""
                    if form.contains("grant_type=refresh_token") { request.url += "?" + form }
                    return try await base.send(request)
                }
            },
            Mutant(
                "token-in-picture-address", "puts the token into the URLs of pictures",
                killedBy: ["invariant.no-secret-in-address in offline.images-cached-data-not"]
            ) { parts, _ in
                let keeper = parts.caller.keeper
                parts.caller.transport = AlteredTransport(base: parts.caller.transport) { request, base async throws(TransportFailure) in
                    var request = request
                    if request.url.hasSuffix(".png"), let token = (try? await keeper.current())?.access {
                        request.url += "?sig=" + percentEncoded(token)
                    }
                    return try await base.send(request)
                }
            },
            Mutant(
                "logs-failures-as-curl", "logs each failed request as a curl command, with its Authorization",
                killedBy: ["invariant.no-secret-in-log in errors.500"]
            ) { parts, _ in
                parts.answers { request, response in
                    guard response.status >= 500 else { return }
                    let headers = request.headers.lines.map { "-H '\($0.name): \($0.value)'" }.joined(separator: " ")
                    StandardStreams.warn("curl -X \(request.method) \(headers) \(request.url)")
                }
            },
            Mutant(
                "error-tells-the-token", "includes the request head in error texts",
                killedBy: ["invariant.no-secret-in-log in pay.cut-head-is-no-success"]
            ) { parts, _ in
                parts.failures { request, failure in
                    var failure = failure
                    failure.detail += " [\(request.headers["Authorization"] ?? "")]"
                    return failure
                }
            },
            Mutant(
                "logs-the-sign-in", "logs the body of the sign-in with its password",
                killedBy: ["invariant.no-secret-in-log in pay.new-intent-new-key"], control: withoutTokens
            ) { parts, _ in
                parts.aroundSigning(signingIn: { user, password in StandardStreams.warn("sign-in {user: \(user), password: \(password)}") })
            },
            Mutant(
                "logs-renewed-tokens", "logs the response to each refresh",
                killedBy: ["invariant.no-secret-in-log in auth.refresh-rotation-persisted"]
            ) { parts, _ in
                parts.aroundSigning(renewed: { token in StandardStreams.warn("renewed: \(token.access) \(token.refresh ?? "")") })
            },
        ]
    }

    /// A case of a bank that has neither tokens nor passwords.
    static let withoutTokens = "data.exact-sum"
}

extension HTTPRequest {
    /// Name and password as a form has them, if this is a sign-in.
    var signInFields: String? {
        guard let body else { return nil }
        let form = String(decoding: body, as: UTF8.self)
        if form.contains("grant_type=password") { return form }
        guard url.hasSuffix("/login"), let json = try? JSON(parsing: body), let user = json["username"]?.string,
            let password = json["password"]?.string
        else { return nil }
        return "username=\(percentEncoded(user))&password=\(percentEncoded(password))"
    }
}
