package import BankModel

enum SecretChoice: String, Sendable, CaseIterable {
    /// The first token that the bank rejected.
    case rejected = "$rejected"
    /// All tokens issued in the case.
    case tokens = "$tokens"
    /// The texts that the bank served in fields declared `sensitive`.
    case data = "$data"
    /// The passwords of all sign-ins, right and wrong ones.
    case password = "$password"
    /// The ID tokens of sign-ins on the bank's page. A client may store one for as long as its customer is signed in.
    case idTokens = "$id_tokens"
    /// The code verifiers of sign-ins on the bank's page. They are known by their digests only, so they are looked for in addresses.
    case verifier = "$verifier"

    /// The meaning of the words, for the reference page.
    static let help = shared + " the passwords, or the ID tokens of sign-ins"

    private static let shared = "the first token that the bank rejected, all tokens, the bank's sensitive fields,"

    /// What can be looked for in files and logs.
    static let inFiles = format(allCases.filter { $0 != .verifier })
    /// What can be looked for in addresses. A journal has no text of an ID token.
    private static let inAddresses = format(allCases.filter { $0 != .idTokens })

    private static func format(_ known: [SecretChoice]) -> Format<SecretChoice> {
        let words = known.map(\.rawValue)
        return Format(
            .words(words),
            read: { node, complaints in node.choice(among: words, complaints).flatMap(SecretChoice.init(rawValue:)) },
            write: { .string($0.rawValue) })
    }

    var name: String {
        switch self {
        case .rejected: "nothing of the rejected token"
        case .tokens: "no token"
        case .data: "nothing sensitive that the bank served"
        case .password: "no password"
        case .idTokens: "no ID token"
        case .verifier: "no code verifier"
        }
    }

    /// What `log` looks for.
    static let lacks = Field(required: "lacks", inFiles, help)
    /// What `url` looks for.
    static let lacksInAddress = Field(
        required: "lacks", inAddresses, shared + " the passwords, or the code verifiers of sign-ins")

    func covers(_ found: Evidence.FoundSecret, _ scene: Scene) -> Bool {
        self == .rejected ? found.kind == .token && found.token == scene.rejectedToken : found.kind.choice == self
    }
}

extension Evidence.FoundSecret.Kind {
    var choice: SecretChoice {
        switch self {
        case .token: .tokens
        case .data: .data
        case .password: .password
        case .idToken: .idTokens
        case .verifier: .verifier
        }
    }
}

/// Secrets that must not be in the client's files, or not readable by others: `{disk: {lacks: $rejected, after: {step: 4}}}`,
/// `{disk: {mode: "0600"}}`. Without `after`: at the end.
///
/// `mode` is demanded of the files in which the text of a token is found, however it is written there. A file that holds
/// none is the client's own matter, and so is a sealed one: its mode does not matter, because nobody can read the file without its key.
package struct DiskPredicate: Predicate {
    package static let name = "disk"

    package static let forms = [
        form(
            "What must not be stored on the client's disk, or must not be readable by others.", [body],
            example: "disk: {lacks: $rejected, after: {step: 4}}")
    ]

    private static let body = Field(required: name, .node(.object(schema)), "what must not be found")
    private static let schema = ObjectSchema(
        "`disk`", "What the client's disk is searched for.", fields: [secret, bits, moment], rules: [.atLeastOne([secret.key, bits.key])])
    private static let secret = Field("lacks", SecretChoice.inFiles, SecretChoice.help)
    private static let bits = Field("mode", modeFormat, "the permission bits that a file that contains a token may have")
    private static let moment = Field(
        "after", .node(.object(ExchangeFilter.afterSchema)), "searches after this step's result; by default at the end")

    static let modeFormat = Format<Int>(
        .text(TextSchema("permission bits in octal, such as `\"0600\"`", pattern: "0[0-7]{3}")), read: { mode($0, $1) })

    let lacks: SecretChoice?
    /// The permission bits that files may have; nil: any.
    let mode: Int?
    let after: Int

    package init?(_ fields: Fields, _ outline: StepOutline, _ complaints: Complaints) {
        guard let node = fields[Self.body] else { return nil }
        let inner = Fields(node, of: Self.schema, complaints)
        lacks = inner[Self.secret]
        mode = inner[Self.bits]
        after = inner[Self.moment].flatMap { ExchangeFilter.after($0, outline, complaints) } ?? outline.all.last?.n ?? 1
        inner.finish()
        guard lacks != nil || mode != nil else {
            complaints.add("`disk` needs `lacks` or `mode`", at: node.position)
            return nil
        }
    }

    private static func mode(_ node: Node, _ complaints: Complaints) -> Int? {
        guard let text = node.scalar, text.hasPrefix("0"), text.count == 4, let mode = Int(text, radix: 8) else {
            return node.wrong(complaints, "permission bits in octal, such as \"0600\"")
        }
        return mode
    }

    package var scansAfter: [Int] { [after] }
    package var needs: Knowledge { lacks == .data ? .data : [] }

    package func judge(_ scene: Scene) -> [UnmetExpectation] {
        let found = (lacks.map { scene.found($0, .disk, after: after) } ?? []) + (mode.map { open(beyond: $0, scene) } ?? [])
        return found.isEmpty ? unsearched(scene) : found
    }

    /// Files that may contain what was not found, because they were not searched to their end.
    private func unsearched(_ scene: Scene) -> [UnmetExpectation] {
        let files = scene.evidence.unsearched.filter { $0.mayHoldSecret && $0.after == after && $0.path != Evidence.FoundSecret.log }
        return files.prefix(1).map { file in
            UnmetExpectation(.undecided, .notSearched("the file \(file.path)", file.reason))
        }
    }

    /// Files with a token that more users can read than may.
    private func open(beyond mode: Int, _ scene: Scene) -> [UnmetExpectation] {
        let tokens = scene.evidence.foundSecrets.filter { $0.location == .disk && $0.after == after && !$0.isDuring && $0.kind == .token }
        let messages = tokens.compactMap { found -> Finding? in
            guard let own = found.mode, own & ~mode != 0 else { return nil }
            return .modeTooWide(found.path, Self.octal(own), most: Self.octal(mode))
        }
        return distinct(messages).map { UnmetExpectation(.violation, $0) }
    }

    static func octal(_ mode: Int) -> String {
        let digits = String(mode, radix: 8)
        return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }
}

/// Secrets that must not be in the driver's stderr: `{log: {lacks: $tokens}}`.
package struct LogPredicate: Predicate {
    package static let name = "log"

    package static let forms = [
        form("What the driver must not write to stderr.", [body], example: "log: {lacks: $tokens}")
    ]

    private static let body = Field(
        required: name, Format<SecretChoice>.object(schema, read: { fields, _ in fields[SecretChoice.lacks] }), "what must not be found")
    private static let schema = ObjectSchema("`log`", "What the driver's log is searched for.", fields: [SecretChoice.lacks])

    let lacks: SecretChoice

    package init?(_ fields: Fields, _ outline: StepOutline, _ complaints: Complaints) {
        guard let lacks = fields[Self.body] else { return nil }
        self.lacks = lacks
    }

    package var needs: Knowledge { lacks == .data ? [.log, .data] : .log }

    package func judge(_ scene: Scene) -> [UnmetExpectation] {
        let found = scene.found(lacks, .log, after: nil)
        guard found.isEmpty, let file = scene.evidence.unsearched.first(where: { $0.path == Evidence.FoundSecret.log }) else {
            return found
        }
        return [UnmetExpectation(.undecided, .notSearched("the driver's log", file.reason))]
    }
}

/// No secret stands in an address: `{url: {lacks: $tokens}}`, `{url: {lacks: $password}}`, `{url: {lacks: $data}}`.
///
/// The journal has a token's id wherever its text was, so the id in a path or query is enough; passwords and what the bank served
/// are looked for by their texts.
package struct URLPredicate: Predicate {
    package static let name = "url"

    package static let forms = [form("The secrets that addresses must not contain.", [body], example: "url: {lacks: $tokens}")]

    private static let body = Field(
        required: name, Format<SecretChoice>.object(schema, read: { fields, _ in fields[SecretChoice.lacksInAddress] }),
        "what must not be found")
    private static let schema = ObjectSchema(
        "`url`", "What the addresses of requests and of sign-in pages are searched for.", fields: [SecretChoice.lacksInAddress])

    let lacks: SecretChoice

    package init?(_ fields: Fields, _ outline: StepOutline, _ complaints: Complaints) {
        guard let lacks = fields[Self.body] else { return nil }
        self.lacks = lacks
    }

    package var needs: Knowledge { lacks == .data ? .data : [] }

    package func judge(_ scene: Scene) -> [UnmetExpectation] {
        scene.secretsInAddresses(lacks).prefix(1).map { UnmetExpectation(.violation, $0) }
    }
}

extension Scene {
    fileprivate func found(_ secret: SecretChoice, _ location: Evidence.FoundSecret.Location, after step: Int?) -> [UnmetExpectation] {
        let found = evidence.foundSecrets.filter { candidate in
            guard candidate.location == location, !candidate.isDuring, step.map({ $0 == candidate.after }) ?? true else { return false }
            return secret.covers(candidate, self)
        }
        guard let first = found.first else { return [] }
        return [UnmetExpectation(.breach, .secretStored(first.text, secret, step: location == .disk ? first.after : nil))]
    }

    /// Each address with a secret of that kind.
    func secretsInAddresses(_ secret: SecretChoice) -> [Finding] {
        if [.data, .password, .verifier].contains(secret) {
            return evidence.foundSecrets.filter { $0.location == .address && secret.covers($0, self) }.map {
                .secretInAddress($0.text, "\(fixed: secret.name)")
            }
        }
        return (exchanges + pages).compactMap { exchange in
            let token = exchange.tokensInURL.first { secret == .tokens || $0 == rejectedToken }
            return token.map { .secretInAddress(exchange, $0) }
        }
    }
}
