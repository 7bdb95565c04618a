import BankModel

/// The security of a description, as far as a bank supports it: one way to carry a token, and at most one scope.
struct DescribedSecurity {
    let description: Description
    /// The part of a request that carries a token; nil for a bank without tokens.
    private(set) var location: CredentialLocation?
    /// Names of schemes that the token represents.
    private var chosen: Set<String> = []
    /// The token endpoint of OAuth's password flow.
    private var passwordURL: LocatedNode?
    /// The page and the token endpoint of OAuth's authorization code flow.
    private var codeURLs: (page: LocatedNode, token: LocatedNode)?
    private(set) var hasRefresh = false
    /// Every scope that is named, in order.
    private(set) var scopes: [String] = []
    private var knownScopes: Set<String> = []
    /// Whether every operation needs a token, because the description has schemes and never lists which operations do.
    private var isForAll = false

    /// A way to carry a credential.
    enum CredentialLocation: Hashable {
        case bearer, basic
        /// A header, a field of the query or a cookie, with its name.
        case apiKey(part: String, name: String)

        /// In words, for messages.
        var words: String {
            switch self {
            case .bearer: "a bearer token"
            case .basic: "a user's name and password (Basic)"
            case .apiKey(let part, let name): "\(part) \(name)"
            }
        }
    }

    init(_ description: Description) {
        self.description = description
        let root = description.root
        var schemes: [(name: String, node: LocatedNode, location: CredentialLocation)] = []
        for (name, written) in root["components"]?["securitySchemes"]?.members ?? [] {
            guard let scheme = description.resolved(written) else { continue }
            switch (scheme["type"]?.text, scheme["scheme"]?.text?.lowercased()) {
            case ("http", "basic"): schemes.append((name, scheme, .basic))
            case ("http", "bearer"), ("openIdConnect", _): schemes.append((name, scheme, .bearer))
            case ("oauth2", _):
                schemes.append((name, scheme, .bearer))
                readFlows(scheme)
            case ("apiKey", _):
                guard let location = DescribedSecurity.location(scheme) else {
                    description.warn(.wider, scheme, "an API key needs `name`, and `in` with header, query or cookie"); continue
                }
                schemes.append((name, scheme, location))
            case ("mutualTLS", _): description.warn(.wider, scheme, "client certificates are not required")
            default: description.warn(.wider, scheme, "this scheme is not supported; operations with only this scheme are open")
            }
        }
        let demands = DescribedSecurity.demands(root)
        isForAll = demands.isEmpty && !schemes.isEmpty
        if isForAll, let first = schemes.first {
            description.warn(
                .approximate, first.node, "no operation refers to a security scheme; all are taken to need \(first.location.words)")
        }
        if schemes.isEmpty, let header = description.authorizationHeader {
            description.warn(
                .approximate, header, "a parameter is the only place that declares a token; all operations need a bearer token")
            (location, isForAll) = (.bearer, true)
        }
        let uses = DescribedSecurity.uses(of: Dictionary(schemes.map { ($0.name, $0.location) }) { $1 }, in: demands)
        let taken =
            schemes.contains { $0.location == .bearer && (isForAll || uses[.bearer] != nil) }
            ? .bearer : schemes.max { uses[$0.location, default: 0] < uses[$1.location, default: 0] }?.location
        guard let taken else { return }
        guard isForAll || uses[taken] != nil else { return }
        location = taken
        chosen = Set(schemes.filter { $0.location == taken }.map(\.name))
        for scheme in schemes where scheme.location != taken {
            description.warn(
                .wider, scheme.node,
                "a bank has one way to carry a token, which is \(taken.words); this one is not required, and operations with only it are open"
            )
        }
    }

    /// How many demands name a scheme of each location, of those that any does: counted in one pass, as 400 schemes and as many
    /// operations took a minute scheme by scheme.
    private static func uses(of locations: [String: CredentialLocation], in demands: [Set<String>]) -> [CredentialLocation: Int] {
        var uses: [CredentialLocation: Int] = [:]
        for demand in demands {
            for location in Set(demand.compactMap { locations[$0] }) { uses[location, default: 0] += 1 }
        }
        return uses
    }

    private mutating func add(scope: String) { if knownScopes.insert(scope).inserted { scopes.append(scope) } }

    private mutating func readFlows(_ scheme: LocatedNode) {
        for (kind, flow) in scheme["flows"]?.members ?? [] {
            for scope in flow["scopes"]?.members ?? [] { add(scope: scope.key) }
            switch (kind, flow["authorizationUrl"], flow["tokenUrl"]) {
            case ("password", _, let token?): passwordURL = passwordURL ?? token
            case ("authorizationCode", let page?, let token?): codeURLs = codeURLs ?? (page, token)
            case ("password", _, nil), ("authorizationCode", _, _):
                let addresses = kind == "password" ? "`tokenUrl`" : "`authorizationUrl` and `tokenUrl`"
                description.warn(.leftOut, flow, "this sign-in flow needs \(addresses)")
                continue
            default:
                description.warn(.approximate, flow, "this sign-in flow is not supported; tokens come from `counterfoil tokens issue`")
                continue
            }
            hasRefresh = hasRefresh || flow["refreshUrl"] != nil
        }
    }

    /// Where an API key is; a header named Authorization carries a bearer token.
    private static func location(_ scheme: LocatedNode) -> CredentialLocation? {
        guard let part = scheme["in"]?.text, let name = scheme["name"]?.text, ["header", "query", "cookie"].contains(part) else {
            return nil
        }
        return part == "header" && name.lowercased() == "authorization" ? .bearer : .apiKey(part: part, name: name)
    }

    /// The names of the schemes of each requirement in the description.
    private static func demands(_ root: LocatedNode) -> [Set<String>] {
        let operations = (root["paths"]?.members ?? []).flatMap { $0.value.members.map(\.value) }
        let written = operations.compactMap { $0["security"] } + [root["security"]].compactMap(\.self)
        return written.flatMap(\.elements).map { Set($0.members.map(\.key)) }.filter { !$0.isEmpty }
    }

    /// An operation's demand: nothing, a token, or a token with a scope.
    ///
    /// - Parameter written: the operation's own requirements, else those of the whole description.
    mutating func demand(_ written: LocatedNode?) -> (isOpen: Bool, scope: String?) {
        guard location != nil else { return (true, nil) }
        if isForAll { return (written?.elements.isEmpty == true, nil) }
        let choices = written?.elements ?? []
        guard let taken = choices.first(where: { choice in choice.members.contains { chosen.contains($0.key) } }),
            let (_, wanted) = taken.members.first(where: { chosen.contains($0.key) })
        else { return (true, nil) }
        if let none = choices.first(where: { $0.members.isEmpty }) {
            description.warn(.narrower, none, "the token is optional; it is required here")
        }
        let names = wanted.elements.compactMap(\.text)
        for name in names { add(scope: name) }
        if names.count > 1 { description.warn(.wider, wanted, "an operation requires one scope here; \(names[0]) is used") }
        return (false, names.first)
    }

    /// Whether the bank has tokens.
    var hasTokens: Bool { location != nil }

    /// The customers: with a password if they sign in by it, and a fixed key where no call issues one.
    ///
    /// - Parameter hasSignIn: whether an operation takes names and passwords.
    func customers(hasSignIn: Bool) -> [JSONObject] {
        DescribedSecurity.logins.map { login, password in
            let hasKey = if case .apiKey? = location { true } else { false }
            return JSONObject(known: [
                "login": .string(login), "password": hasSignIn || location == .basic ? .string(password) : nil,
                "token": hasKey ? .string("cf_\(login)_key_of_an_imported_bank") : nil,
            ])
        }
    }

    /// The customers of an imported bank, and their passwords.
    static let logins = [("ava", "correct-horse"), ("ben", "battery-staple")]

    /// Whether customers sign in on the bank's page.
    var hasPage: Bool { location == .bearer && codeURLs != nil }

    /// How a caller gets or presents a customer's credential, for people; nil for a bank without tokens.
    ///
    /// - Parameter call: the request that takes a name and a password; nil if the bank has none.
    func howToSignIn(to bank: String, by call: String?) -> String? {
        switch location {
        case .bearer? where hasPage:
            "customers such as ava (password correct-horse) sign in on the bank's page, for the client `app`; docs/sign-in.md has the steps"
        case .basic?: "every request carries a customer's name and password (Basic), such as ava and correct-horse"
        case .apiKey(let part, let name)?:
            "every request carries a customer's fixed key, such as \(part) \(name): cf_ava_key_of_an_imported_bank"
        case .bearer?: Imported.signIn(to: bank, by: call, DescribedSecurity.logins.map { (login: $0.0, password: $0.1) })
        case nil: nil
        }
    }

    /// The bank's `auth`.
    var auth: JSON {
        let (scheme, source): (JSON?, JSON?) =
            switch location {
            case .basic?: ("basic", nil)
            case .apiKey(let part, let name)?: ("api-key", [part: .string(name)])
            case .bearer?, nil: (nil, nil)
            }
        return .object(known: [
            "scheme": scheme, "in": source, "lifetime": "15m", "scopes": scopes.isEmpty ? nil : .array(scopes.map(JSON.string)),
            "refresh": hasRefresh ? "30d" : nil,
        ])
    }

    // MARK: signing in

    /// The operations of OAuth's flows, each with its name and its role; none where the description has neither flow.
    ///
    /// - Parameter base: the bank's base, below which operations are.
    func signIn(base: String) -> [(name: String, role: String?, definition: JSON)] {
        guard let token = (passwordURL ?? codeURLs?.token).map({ path(of: $0, below: base, or: "/oauth/token") }) else { return [] }
        let page = codeURLs.map { path(of: $0.page, below: base, or: "/oauth/authorize") }
        var found: [(name: String, role: String?, definition: JSON)] = []
        if passwordURL != nil {
            let grant: JSON = ["user": ["form": "username"], "password": ["form": "password"], "scope": ["form": "scope"]]
            let errors: KeyValuePairs = ["wrong-login": "invalid_grant", "invalid-scope": "invalid_scope"]
            found.append(("signIn", "login", tokenCall(token, "password", ["username", "password"], ["password": grant], errors)))
        }
        if let page {
            found.append(("signInPage", nil, ["request": .string("GET \(page)"), "open": true, "sign_in": "page"]))
            let grant: JSON = ["code": ["form": "code"], "redirect": ["form": "redirect_uri"], "verifier": ["form": "code_verifier"]]
            let errors: KeyValuePairs = ["invalid-grant": "invalid_grant", "invalid-client": "invalid_client"]
            found.append(("exchangeCode", nil, tokenCall(token, "authorization_code", ["code"], ["code": grant], errors)))
        }
        if hasRefresh {
            let grant: JSON = ["token": ["form": "refresh_token"], "scope": ["form": "scope"]]
            let errors: KeyValuePairs = ["invalid-grant": "invalid_grant", "invalid-scope": "invalid_scope"]
            found.append(("renew", "refresh", tokenCall(token, "refresh_token", ["refresh_token"], ["refresh": grant], errors)))
        }
        if let page {
            // Last: it takes any form, and page and tokens may have one path.
            found.append(("signInDecision", nil, ["request": .string("POST \(page)"), "open": true, "sign_in": "decision"]))
        }
        return found
    }

    /// A call of the token endpoint, with the response of RFC 6749 §5.1 and the errors of §5.2.
    private func tokenCall(
        _ path: String, _ grantType: String, _ fields: JSON, _ grant: JSON, _ errors: KeyValuePairs<String, String>
    ) -> JSON {
        let reply = JSON.object(known: [
            "access_token": ["token": "access"], "token_type": "Bearer", "expires_in": ["token": "lifetime"],
            "refresh_token": hasRefresh ? ["token": "refresh"] : nil, "scope": scopes.isEmpty ? nil : ["token": "scope"],
        ])
        let refuse = errors.map { name, error -> (key: String, value: JSON) in
            (name, ["status": 400, "content_type": "application/json", "body": ["error": .string(error)]])
        }
        return [
            "request": .string("POST \(path)"), "when": ["form": ["grant_type": .string(grantType)]], "open": true,
            "takes": ["form": fields], "grant": grant, "reply": reply, "refuse": .object(JSONObject(refuse)),
        ]
    }

    /// Where a flow's address is in the bank: below its base, even if the real one is at another host.
    ///
    /// - Parameter usual: the path if the address has none, or is none.
    private func path(of address: LocatedNode, below base: String, or usual: String) -> String {
        let path =
            DescribedServer.path(of: address.text ?? "").flatMap { $0.isEmpty || $0.contains(where: \.isWhitespace) ? nil : $0 } ?? usual
        if path.hasPrefix(base + "/") { return String(path.dropFirst(base.count)) }
        description.warn(.approximate, address, "it is not below \(base); the bank has it at \(base)\(path)")
        return path
    }
}
