import BankCore
import BankModel

/// An exchange without secrets, as the learner reads it.
struct LearnedExchange {
    let exchange: RecordedExchange
    /// The segments of the path, decoded.
    let segments: [String]
    /// Without ``clocks``.
    let query: [(name: String, value: String)]
    /// The fields of the query with the time of the request, which apps add against caches: they choose nothing.
    let clocks: Set<String>
    let requestJSON: JSON?
    /// The fields of a form, or the scalars of a JSON object.
    let fields: [(name: String, value: String)]
    let isForm: Bool
    let json: JSON?
    /// What the original request was for.
    let role: Role?
    /// The original's access token, or its replacement; it is never written.
    let token: String?
    /// The original's idempotency key; it is never written.
    let key: String?
    /// The path as a bank writes it.
    let path: PathTemplate
    /// How many requests that write came before it.
    var era = 0

    /// - Returns: nil if the path cannot be that of an operation.
    init?(_ clean: RecordedExchange, original: RecordedExchange, _ facts: APIFacts, _ addresses: AddressLearner) {
        exchange = clean
        segments = clean.url.segments
        guard let path = addresses.path(segments) else { return nil }
        self.path = path
        let clocks = Set(FormFields(original.url.query ?? "").all.filter { original.isStart($0.value) }.map(\.name))
        query = FormFields(clean.url.query ?? "").all.filter { $0.value != SecretFields.mark && !clocks.contains($0.name) }
            .map { ($0.name, $0.value) }
        self.clocks = clocks
        requestJSON = try? JSON(parsing: clean.requestBody.bytes)
        isForm = clean.requestHeaders.areOfForm
        fields = clean.fields
        json = clean.json
        role = facts.role(of: original)
        // A recorder may have masked it.
        token = facts.token(of: original) ?? facts.credential(of: original).flatMap { $0.isEmpty ? nil : $0 }
        key = facts.key(of: original)
    }

    var hasKey: Bool { key != nil }
    var number: Int { exchange.number }
    var method: String { exchange.method }
    var status: Int { exchange.status ?? 0 }
    var isSuccess: Bool { (200..<300).contains(status) }
    /// Whether the body of a response with a success status reports a failure: `{"success": false, …}`, `{"errors": [{…}]}`.
    var reportsFailure: Bool {
        isSuccess
            && (json?.object?.members ?? []).contains { name, value in
                switch RecordedExchange.plain(name) {
                case "success", "ok", "succeeded", "issuccess": value == false
                case "error", "errors": value.array?.isEmpty == false || value.object?.members.isEmpty == false
                default: false
                }
            }
    }
    /// Whether the role is about tokens: to sign in, to renew them, or to sign out.
    var isAboutTokens: Bool { [.login, .refresh, .logout].contains(role) }
    /// Whether the request signs a customer in or out, or renews a token.
    var isSignIn: Bool { isAboutTokens && method != "GET" }
    var isWrite: Bool { !["GET", "HEAD"].contains(method) && !isAboutTokens }

    /// Whether it is a step on the bank's sign-in page: a request for a code (RFC 6749 §4.1.1), the redirect with the code (§4.1.2),
    /// or a form with a name and a password, each with a redirect as its response.
    var isOnSignInPage: Bool {
        guard !isAboutTokens, (300..<400).contains(status) else { return false }
        let asksForCode = query.contains { $0.name == "response_type" && $0.value.split(separator: " ").contains("code") }
        let hasPassword = method == "POST" && isForm && field(SignInLearner.userNames) != nil && field(SignInLearner.passwordNames) != nil
        let target = header("location")?.split(separator: "?", maxSplits: 1).dropFirst().first ?? ""
        let given = Set(FormFields(String(target)).all.map(\.name))
        return asksForCode || hasPassword || given.isSuperset(of: ["code", "state"])
    }

    /// The values of the path's parameters.
    var parameters: [String: String] { path.parameters(of: segments) ?? [:] }

    /// `GET /v1/accounts/{accountId}`
    var call: String { "\(method) \(path)" }

    /// Names requests that a bank answers alike.
    var address: String {
        "\(method) /\(segments.joined(separator: "/"))?\(formEncoded(query.sorted { ($0.name, $0.value) < ($1.name, $1.value) }))"
    }

    /// A response header's value.
    func header(_ name: String) -> String? { exchange.responseHeaders.value(of: name) }

    var contentType: String? { header("content-type") }

    /// The first field of one of those names, letters and digits only.
    func field(_ names: [String]) -> (name: String, value: String)? {
        names.lazy.compactMap { name in fields.first { RecordedExchange.plain($0.name) == name } }.first
    }
}

extension RecordedExchange {
    /// Whether a text is the time of the request within a day, in seconds or milliseconds since 1970.
    fileprivate func isStart(_ text: String) -> Bool {
        guard [10, 13].contains(text.utf8.count), let number = Int64(text) else { return false }
        let milliseconds = text.utf8.count == 10 ? number * 1000 : number
        return (started.nanoseconds / 1_000_000 - milliseconds).magnitude < 86_400_000
    }
}

/// Finds the parameters of paths by comparing addresses.
struct AddressLearner {
    private var ids: Set<String> = []
    /// Segments that vary while all others and the shape of the response are equal.
    private var varying: Set<[String]> = []

    /// Fewer values could be words of the API.
    private static let fewest = 3

    init(_ exchanges: [RecordedExchange]) {
        let successes = exchanges.filter { (200..<300).contains($0.status ?? 0) }
        // The ids of rows: numbers and texts.
        for (name, value) in successes.compactMap(\.json).flatMap({ $0.allMembers() }) where name.lowercased().hasSuffix("id") {
            if let text = value.string ?? value.number?.digits { ids.insert(text) }
        }
        var values: [[String]: (values: Set<String>, shapes: Set<[String]>)] = [:]
        for exchange in successes where exchange.method == "GET" {
            guard let shape = exchange.json?.object?.keys, !shape.isEmpty else { continue }
            let segments = exchange.url.segments
            for index in segments.indices.dropFirst() {
                let location = AddressLearner.location(segments, index)
                values[location, default: ([], [])].values.insert(segments[index])
                values[location]?.shapes.insert(shape)
            }
        }
        varying = Set(values.filter { $1.values.count >= AddressLearner.fewest && $1.shapes.count == 1 }.keys)
    }

    private static func location(_ segments: [String], _ index: Int) -> [String] {
        var location = segments
        location[index] = "\u{0}"
        return location
    }

    /// The path with parameters in place of ids, numbers and dates.
    func path(_ segments: [String]) -> PathTemplate? {
        var names = Names()
        let parts = segments.indices.map { index in
            guard isParameter(segments, index) else { return segments[index] }
            let base = AddressLearner.singular(index > 0 ? segments[index - 1] : "")
            return "{\(names.unique("\(base)Id", separator: ""))}"
        }
        return PathTemplate("/" + parts.joined(separator: "/"))
    }

    private func isParameter(_ segments: [String], _ index: Int) -> Bool {
        let segment = segments[index]
        guard !segment.isEmpty else { return false }
        // What a request line in a bank file cannot have.
        if segment.contains(where: { "{}? %".contains($0) || !$0.isASCII }) { return true }
        guard index > 0 else { return false }
        return ids.contains(segment) || PersonalData.isID(segment: segment) || segment.allSatisfy { $0.isASCII && $0.isNumber }
            || CivilDate(segment) != nil || varying.contains(AddressLearner.location(segments, index))
    }

    static func singular(_ word: String) -> String {
        let plain = word.split { !$0.isASCII || !($0.isLetter || $0.isNumber) }.enumerated()
            .map { $0 == 0 ? String($1) : $1.prefix(1).uppercased() + $1.dropFirst() }.joined()
        if plain.hasSuffix("ies") { return plain.dropLast(3) + "y" }
        return plain.hasSuffix("s") && plain.count > 2 && !plain.hasSuffix("ss") ? String(plain.dropLast()) : plain.isEmpty ? "path" : plain
    }
}
