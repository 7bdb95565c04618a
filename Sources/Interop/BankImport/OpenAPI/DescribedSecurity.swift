import BankModel

/// The security of a description, as far as a bank supports it: a bearer token, and at most one scope.
struct DescribedSecurity {
    let description: Description
    /// Names of schemes that a bearer token stands for.
    private let bearers: Set<String>
    /// The token endpoint of OAuth's password flow.
    private(set) var tokenURL: LocatedNode?
    private(set) var hasRefresh = false
    /// Every scope that is named, in order.
    private(set) var scopes: [String] = []

    init(_ description: Description) {
        self.description = description
        var bearers: Set<String> = []
        for (name, written) in description.root["components"]?["securitySchemes"]?.members ?? [] {
            guard let scheme = description.resolved(written) else { continue }
            switch (scheme["type"]?.text, scheme["scheme"]?.text?.lowercased()) {
            case ("http", "bearer"), ("openIdConnect", _): bearers.insert(name)
            case ("oauth2", _):
                bearers.insert(name)
                for (kind, flow) in scheme["flows"]?.members ?? [] {
                    for scope in flow["scopes"]?.members ?? [] where !scopes.contains(scope.key) { scopes.append(scope.key) }
                    if kind == "password" {
                        tokenURL = flow["tokenUrl"]
                        hasRefresh = flow["refreshUrl"] != nil
                    } else {
                        description.cannot(
                            .approximate, flow, "this sign-in flow is not supported; tokens come from `counterfoil tokens issue`")
                    }
                }
            case ("mutualTLS", _): description.cannot(.wider, scheme, "client certificates are not required")
            default: description.cannot(.wider, scheme, "only bearer tokens are supported; operations with only this scheme are open")
            }
        }
        self.bearers = bearers
    }

    /// An operation's demand: nothing, a token, or a token with a scope.
    ///
    /// - Parameter written: the operation's own requirements, else those of the whole description.
    mutating func demand(_ written: LocatedNode?) -> (isOpen: Bool, scope: String?) {
        let choices = written?.elements ?? []
        if choices.contains(where: { $0.members.isEmpty }) || choices.isEmpty { return (true, nil) }
        guard let taken = choices.first(where: { choice in choice.members.contains { bearers.contains($0.key) } }) else {
            return (true, nil)
        }
        guard let (_, wanted) = taken.members.first(where: { bearers.contains($0.key) }) else { return (true, nil) }
        let names = wanted.elements.compactMap(\.text)
        for name in names where !scopes.contains(name) { scopes.append(name) }
        if names.count > 1 { description.cannot(.wider, wanted, "an operation requires one scope here; \(names[0]) is used") }
        return (false, names.first)
    }

    /// Whether the bank has tokens.
    var hasTokens: Bool { !bearers.isEmpty }

    /// The bank's `auth`.
    var auth: JSON {
        var object = JSONObject([("lifetime", "15m")])
        if !scopes.isEmpty { object["scopes"] = .array(scopes.map(JSON.string)) }
        if hasRefresh { object["refresh"] = "30d" }
        return .object(object)
    }

    // MARK: signing in

    /// The operations of OAuth's password flow (RFC 6749 §4.3, §6), with their names; none where the flow is not there, or elsewhere.
    ///
    /// - Parameter base: the bank's base, below which the token endpoint must be.
    func signIn(base: String) -> [(name: String, definition: JSON)] {
        guard let tokenURL, let path = DescribedServer.path(of: tokenURL.text ?? "") else { return [] }
        guard path.hasPrefix(base + "/") else {
            description.cannot(.ignored, tokenURL, "it is not below \(base); tokens come from `counterfoil tokens issue`")
            return []
        }
        let request = JSON.string("POST \(path.dropFirst(base.count))")
        var reply = JSONObject([
            ("access_token", ["token": "access"]), ("token_type", "Bearer"), ("expires_in", ["token": "lifetime"]),
        ])
        if hasRefresh { reply["refresh_token"] = ["token": "refresh"] }
        if !scopes.isEmpty { reply["scope"] = ["token": "scope"] }
        let password: JSON = [
            "request": request, "when": ["form": ["grant_type": "password"]], "open": true, "takes": ["form": ["username", "password"]],
            "grant": ["password": ["user": ["form": "username"], "password": ["form": "password"], "scope": ["form": "scope"]]],
            "reply": .object(reply),
            "refuse": [
                "wrong-login": DescribedSecurity.refusal("invalid_grant"), "invalid-scope": DescribedSecurity.refusal("invalid_scope"),
            ],
        ]
        guard hasRefresh else { return [("signIn", password)] }
        let renew: JSON = [
            "request": request, "when": ["form": ["grant_type": "refresh_token"]], "open": true, "takes": ["form": ["refresh_token"]],
            "grant": ["refresh": ["token": ["form": "refresh_token"], "scope": ["form": "scope"]]], "reply": .object(reply),
            "refuse": [
                "invalid-grant": DescribedSecurity.refusal("invalid_grant"), "invalid-scope": DescribedSecurity.refusal("invalid_scope"),
            ],
        ]
        return [("signIn", password), ("renew", renew)]
    }

    /// An error of RFC 6749 §5.2.
    private static func refusal(_ error: String) -> JSON {
        ["status": 400, "content_type": "application/json", "body": ["error": .string(error)]]
    }
}

/// The base path of a description's servers.
enum DescribedServer {
    /// The path of an address, or of a reference below it, without a slash at its end; nil if there is a variable in it.
    static func path(of address: String) -> String? {
        var rest = Substring(address.prefix { $0 != "?" && $0 != "#" })
        if let scheme = rest.firstRange(of: "://") { rest = rest[scheme.upperBound...].drop { $0 != "/" } }
        while rest.hasSuffix("/") { rest = rest.dropLast() }
        guard !rest.contains("{") else { return nil }
        return rest.isEmpty || rest.hasPrefix("/") ? String(rest) : "/\(rest)"
    }

    /// The base of the first server, its variables filled in; what the others have besides is noted.
    static func base(_ description: Description) -> String {
        let servers = description.root["servers"]?.elements ?? []
        guard let first = servers.first, let url = first["url"]?.text else { return "" }
        let base = path(of: filled(url, first)) ?? ""
        for other in servers.dropFirst() where other["url"]?.text.flatMap({ path(of: filled($0, other)) }) != base {
            description.cannot(.ignored, other, "a bank has one base; it is \(base.isEmpty ? "empty" : base)")
        }
        if path(of: filled(url, first)) == nil { description.cannot(.ignored, first, "a variable in it has no default; the base is empty") }
        return base
    }

    private static func filled(_ url: String, _ server: LocatedNode) -> String {
        (server["variables"]?.members ?? []).reduce(url) { $0.replacing("{\($1.key)}", with: $1.value["default"]?.text ?? "{}") }
    }
}
