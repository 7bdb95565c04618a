import BankModel

extension ClientRule {
    /// Where tokens, passwords and data that the bank calls sensitive must not be.
    static let secretRules = [
        ClientRule(
            "invariant.no-secret-in-address", .tokens, survivesDroppedEntries: true,
            recorded: Recorded(
                why:
                    "URLs are stored in logs and browser histories, so they must not contain a password or one-time code (RFC 9110 §17.9).",
                trigger: "a customer signed in, or a URL had a parameter for a secret", restsOn: [.ownSecretAddress])
        ) { $0.instance == nil ? $0.noSecretParameters(&$1) : $0.noSecretInAddress(&$1) },
        ClientRule("invariant.no-secret-on-disk-in-clear", .tokens, needs: .files, survivesDroppedEntries: true) {
            $0.noSecretOnDiskInClear(&$1)
        },
        ClientRule("invariant.no-secret-in-log", .tokens, needs: .log, survivesDroppedEntries: true) { $0.noSecretInLog(&$1) },
        filesPrivate(mode: 0o600),
    ]

    /// The rule of the catalogue about tokens in URLs.
    static let tokenNeverInURL = ClientRule(
        "auth.token-never-in-url",
        why: "URLs are stored in logs and browser histories, so they must not contain a token (RFC 6750 §2.3, §5.3).",
        trigger: "a request had a token", restsOn: [.ownSecretAddress], shows: "no-secret-in-address"
    ) { scene, result in
        for request in scene.requests {
            let leaked = request.tokensInURL.filter { !request.isCredentialInQuery($0) }
            guard request.knownToken != nil || !leaked.isEmpty || !request.refreshTokensSent.isEmpty else { continue }
            result.add(leaked.first.map { .secretInAddress(request, $0) })
        }
    }

    /// - Parameter mode: the permission bits that a file with a secret may have.
    private static func filesPrivate(mode: Int) -> ClientRule {
        ClientRule(
            "invariant.files-private", .tokens, needs: .files, survivesDroppedEntries: true,
            settings: Settings(
                field: Field("files-private", .node(.object(modeSchema)), "only their owner can read files that contain a secret"),
                schema: modeSchema, read: { $0[modeField].map(filesPrivate) })
        ) { $0.filesPrivate(&$1, mode: mode) }
    }

    private static let modeField = Field(required: "mode", DiskPredicate.modeFormat, "the permission bits that such a file may have")
    private static let modeSchema = ObjectSchema("the bounds of `files-private`", fields: [modeField])
}

extension Scene {
    /// No address has a token or a password.
    fileprivate func noSecretInAddress(_ result: inout RuleResult) {
        if !exchanges.isEmpty { result.add() }
        for finding in secretsInAddresses(.tokens) + secretsInAddresses(.password) { result.add(finding) }
    }

    /// No address has a value for a parameter that is made for a secret: the journal does not have the values.
    fileprivate func noSecretParameters(_ result: inout RuleResult) {
        for request in requests {
            let leaked = request.secretParameters.first
            guard leaked != nil || request.has(.login) else { continue }
            result.add(leaked.map { .secretInAddress(request, "the parameter `\($0)`") })
        }
    }

    /// A client never writes down a password or data that the bank calls sensitive. It stores a token in clear only where no
    /// other user can read it, which ``filesPrivate(mode:)`` checks, and only in its own folder.
    fileprivate func noSecretOnDiskInClear(_ result: inout RuleResult) {
        let isWhole = !evidence.unsearched.contains { $0.mayHoldSecret && $0.path != Evidence.FoundSecret.log }
        if isWhole, !evidence.owners.isEmpty || instance?.bank.customers.isEmpty == false { result.add() }
        for found in evidence.foundSecrets where found.location == .disk && found.kind != .idToken {
            let isOutside = found.path.hasPrefix("../")
            guard found.kind != .token || isOutside else { continue }
            let rule: Phrase =
                found.kind == .token
                ? "a client stores tokens in its own folder only" : "a client stores \(fixed: found.kind.choice.name) in clear text"
            result.add(.secretOnDisk(text(found), rule))
        }
    }

    fileprivate func noSecretInLog(_ result: inout RuleResult) {
        let isWhole = !evidence.unsearched.contains { $0.path == Evidence.FoundSecret.log }
        if isWhole, !evidence.owners.isEmpty || instance?.bank.customers.isEmpty == false { result.add() }
        for found in evidence.foundSecrets where found.location == .log && ![.data, .idToken].contains(found.kind) {
            result.add(.secretShown(text(found), found.kind.choice.name))
        }
    }

    /// Only its owner can read a file that contains a secret.
    fileprivate func filesPrivate(_ result: inout RuleResult, mode: Int) {
        for found in evidence.foundSecrets where found.location == .disk && found.kind != .idToken {
            guard let own = found.mode else { continue }
            let isPrivate = own & ~mode == 0
            let message = Finding.modeTooWide(found.path, DiskPredicate.octal(own), most: DiskPredicate.octal(mode))
            result.add(isPrivate ? nil : message)
        }
    }

    private func text(_ found: Evidence.FoundSecret) -> String {
        let time =
            found.isDuring
            ? ", while step \(found.after) was running" : found.after == Evidence.FoundSecret.atEnd ? "" : ", after step \(found.after)"
        return found.text + time
    }
}

extension JournalEntry {
    /// Whether the bank takes its credential from the query (`in: {query: api_key}`): it knows the request by the token, and no header can
    /// have brought that.
    fileprivate func isCredentialInQuery(_ token: String) -> Bool {
        guard token == knownToken, JournalEntry.tokens(in: [query ?? ""]).contains(token) else { return false }
        return !requestHeaders.contains { header in
            ["authorization", "cookie"].contains(header.name.lowercased()) || header.value.contains(token)
        }
    }
}

extension Finding {
    static func secretOnDisk(_ location: String, _ rule: Phrase) -> Finding { Finding("\(location)", rule) }

    static func secretShown(_ location: String, _ secret: String) -> Finding {
        Finding("\(location)", "a client writes \(fixed: secret) to its log and shows none")
    }
}
