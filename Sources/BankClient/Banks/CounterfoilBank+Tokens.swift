import BankModel

extension CounterfoilBank: PageSigningBank {
    package var app: RegisteredApp {
        RegisteredApp(
            id: "app", redirect: "counterfoil-app:/callback", scopes: ["openid", "accounts", "payments", "offline_access"])
    }
}

extension CounterfoilBank: SigningInBank {
    /// RFC 6749 §4.3.
    package func signIn(_ caller: BankCaller, user: String, password: String) async throws(ClientFailure) -> Token {
        try await token(caller, [("grant_type", "password"), ("username", user), ("password", password)])
    }

    /// RFC 6749 §6. Never retried: the token is valid for one use, and the bank treats a second use as theft.
    package func refresh(_ caller: BankCaller, _ refresh: String) async throws(ClientFailure) -> Token {
        var once = caller
        once.retry = .never
        return try await token(once, [("grant_type", "refresh_token"), ("refresh_token", refresh)])
    }

    /// RFC 7009 §2.1: revokes the refresh token first, as it could issue new access tokens.
    package func revoke(_ caller: BankCaller, _ token: Token) async throws(ClientFailure) {
        for (text, hint) in [(token.refresh, "refresh_token"), (token.access, "access_token")] {
            guard let text else { continue }
            let answer = try await caller.exchange(.form("/oauth/revoke", [("token", text), ("token_type_hint", hint)]))
            if answer.verdict.error != nil { throw caller.failure(answer) }
        }
    }

    private func token(_ caller: BankCaller, _ fields: [(String, String?)]) async throws(ClientFailure) -> Token {
        let json = try await caller.json(.form("/oauth/token", fields))
        guard let access = json["access_token"]?.string, !access.isEmpty, json["token_type"]?.string?.lowercased() == "bearer" else {
            throw ClientFailure(.decode, "found no bearer token in the response", mayHaveLeft: true)
        }
        return Token(access: access, refresh: json["refresh_token"]?.string)
    }
}
