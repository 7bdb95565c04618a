import BankCore
import BankModel

/// `sign_in`: the clients of a bank, and the terms of its sign-in page.
extension BankLoader {
    func signInPolicy(_ node: Node) -> SignInPolicy {
        let fields = Fields(node, of: SignInKeys.schema, complaints)
        let auth = bank.auth
        if auth == nil { complaints.add("found `sign_in`, expected `auth` in the bank: it has no tokens", at: node.position) }
        if !bank.customers.contains(where: { $0.password != nil && !$0.locked }) {
            complaints.add("found `sign_in`, expected a customer with a password who is not locked", at: node.position)
        }
        let listed = fields[SignInKeys.clients]
        let clients = listed.map { Fields($0, of: "clients", complaints).all.compactMap(client) } ?? []
        if let listed, clients.isEmpty { complaints.add(found: "no client", expected: "at least one", at: listed.position) }
        var policy = SignInPolicy(clients: clients)
        policy.scopes = fields[SignInKeys.scopes] ?? []
        policy.refreshScope = fields[SignInKeys.refreshScope]
        policy.lifetimes.code = fields[SignInKeys.code] ?? policy.lifetimes.code
        policy.lifetimes.page = fields[SignInKeys.page] ?? policy.lifetimes.page
        policy.lifetimes.pushed = fields[SignInKeys.pushed] ?? policy.lifetimes.pushed
        policy.requiresPushed = fields[SignInKeys.requiresPushed] ?? false
        policy.openID = fields[SignInKeys.openID]
        policy.dpop = fields[SignInKeys.dpop]
        policy.mtls = fields[SignInKeys.mtls]
        if let position = (fields.node(of: SignInKeys.dpop) ?? fields.node(of: SignInKeys.mtls))?.position, let auth,
            auth.location != .bearer
        {
            complaints.add("found tokens that are bound to their client, expected `scheme: bearer` in `auth`", at: position)
        }
        policy.names = fields[SignInKeys.parameters].map(parameterNames) ?? [:]
        let known = (auth?.scopes ?? []) + policy.scopes
        if let scope = policy.refreshScope, let position = fields.node(of: SignInKeys.refreshScope)?.position, !known.contains(scope) {
            complaints.add(found: "the scope `\(scope)`", expected: expectation(known, for: scope), at: position)
        }
        if policy.openID != nil, let position = fields.node(of: SignInKeys.openID)?.position, !known.contains(OpenIDPolicy.scope) {
            complaints.add(
                "found `openid`, expected the scope `\(OpenIDPolicy.scope)` in `scopes`, with which a client asks for it", at: position)
        }
        fields.finish()
        return policy
    }

    private func parameterNames(_ node: Node) -> [SignInPolicy.Parameter: String] {
        let fields = Fields(node, of: SignInKeys.parametersSchema, complaints)
        defer { fields.finish() }
        var names: [SignInPolicy.Parameter: String] = [:]
        for (parameter, field) in zip(SignInPolicy.Parameter.allCases, SignInKeys.names) { names[parameter] = fields[field] }
        return names
    }

    private func client(_ id: String, _ key: Node, _ node: Node) -> OAuthClient? {
        let fields = Fields(node, of: ClientKeys.schema, called: "the client `\(id)`", complaints)
        var client = OAuthClient(id: id)
        client.name = fields[ClientKeys.name] ?? id
        client.secret = fields[ClientKeys.secret]
        let listed = fields[ClientKeys.keys]
        client.keys = (listed?.elements(complaints) ?? []).compactMap(publicKey)
        let usual: OAuthClient.Authentication = client.secret != nil ? .basic : listed != nil ? .privateKey : .none
        client.authentication = fields[ClientKeys.authentication] ?? usual
        client.requiresChallenge = (fields[ClientKeys.pkce] ?? false) || client.authentication == .none
        client.redirects = (fields[ClientKeys.redirects]?.elements(complaints) ?? []).compactMap(redirect)
        fields.finish()
        if bank.customers.contains(where: { $0.login == id }) {
            complaints.add(found: "the client `\(id)`, which has the login of a customer", expected: "another id", at: key.position)
        }
        let needed: (secret: Bool, keys: Bool) =
            switch client.authentication {
            case .none: (false, false)
            case .basic, .post: (true, false)
            case .privateKey: (false, true)
            }
        if (client.secret != nil, listed != nil) != needed {
            let expected =
                needed.secret ? "`secret` and no `keys`" : needed.keys ? "`keys` and no `secret`" : "neither `secret` nor `keys`"
            complaints.add("found `authentication: \(client.authentication.rawValue)`, expected with it \(expected)", at: node.position)
        }
        return client
    }

    private func publicKey(_ node: Node) -> ClientKey? {
        let fields = Fields(node, of: ClientKeyKeys.schema, complaints)
        defer { fields.finish() }
        let id = fields[ClientKeyKeys.id]
        guard let kind = fields[ClientKeyKeys.kind], let curve = fields[ClientKeyKeys.curve], let x = fields[ClientKeyKeys.x],
            let y = fields[ClientKeyKeys.y]
        else { return nil }
        guard kind == "EC", curve == "P-256", let key = ClientKey(id: id, x: x, y: y) else {
            return node.wrong(complaints, "a public key of the curve P-256: `kty: EC`, `crv: P-256`, and a point of the curve as x and y")
        }
        return key
    }

    /// An absolute address without a fragment (RFC 6749 §3.1.2), in characters that a header can hold.
    private func redirect(_ node: Node) -> String? {
        guard let text = node.text(complaints) else { return nil }
        let scheme = text.prefix { $0 != ":" }
        let isScheme =
            scheme.first?.isLetter == true && scheme.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0)) }
        let isSafe = !["javascript", "data", "vbscript"].contains(scheme.lowercased())
        guard isScheme, isSafe, scheme.count < text.count - 1, !text.contains("#"), text.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else {
            return node.wrong(complaints, "an absolute address without a fragment, such as https://web.example/callback or app:/callback")
        }
        return text
    }
}
