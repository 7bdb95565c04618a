import BankModel
import Contracts

/// The facts by which entries of an archive become exchanges that rules understand: as a description states them, or found by usual
/// names.
struct APIFacts: Sendable {
    private let given: APIDescription
    /// Nil if no host was found.
    private(set) var hosts: Set<String>?
    private(set) var key: APIDescription.KeyLocation?
    /// Whether the key is a header that is the key of some APIs, and a mere number of the request in others.
    private(set) var isKeyUncertain = false
    /// Whether only the JSON in their responses shows that the hosts are the API's: other hosts respond with JSON, too.
    private(set) var isHostUncertain = false
    private var hostsReason = "given"
    private var keyReason = "given"

    init(_ given: APIDescription, _ entries: [RecordedExchange]) {
        self.given = given
        key = given.key
        if key == nil { findKey(entries) }
        if let hosts = given.hosts {
            self.hosts = Set(hosts)
        } else {
            findHosts(entries)
        }
    }

    // MARK: what an entry is

    /// Whether the entry is a request to the API.
    func isOfAPI(_ entry: RecordedExchange) -> Bool {
        guard let hosts else { return false }
        return hosts.contains(entry.url.host) || hosts.contains(hostName(entry.url.host))
    }

    /// Whether two hosts are known to be of one party.
    func areOneParty(_ host: String, _ other: String) -> Bool? {
        guard given.hosts == nil else { return [host, other].allSatisfy { hosts?.contains(hostName($0)) ?? false } }
        return host == other ? true : nil
    }

    /// The purpose of a request; nil for most.
    func role(of entry: RecordedExchange) -> Role? {
        if given.pays?.contains(where: { $0.matches(entry) }) ?? APIFacts.pays(entry) { return .pay }
        if given.refreshes?.contains(where: { $0.matches(entry) }) ?? APIFacts.refreshes(entry) { return .refresh }
        if given.signsOut?.contains(where: { $0.matches(entry) }) ?? APIFacts.signsOut(entry) { return .logout }
        if given.signsIn?.contains(where: { $0.matches(entry) }) ?? APIFacts.signsIn(entry) { return .login }
        return nil
    }

    /// The idempotency key, unquoted; nil if there is none, or the recorder has masked it.
    func key(of entry: RecordedExchange) -> String? {
        guard let key else { return nil }
        var text: String?
        switch key {
        case .header(let name): text = entry.header(name)
        case .body(let path): text = (try? JSON(parsing: entry.requestBody.bytes))?.at(path).flatMap { $0.string ?? $0.number?.digits }
        }
        guard var text, !text.isEmpty else { return nil }
        if text.count > 2, text.hasPrefix("\""), text.hasSuffix("\"") { text = String(text.dropFirst().dropLast()) }
        return APIFacts.isPlaceholder(text) ? nil : text
    }

    /// The value of the header that has the token; nil if there is none. Empty for a scheme without a token.
    func credential(of entry: RecordedExchange) -> String? {
        let name = given.tokenHeader ?? "authorization"
        guard let value = entry.header(name)?.trimmed else { return nil }
        if value.lowercased() == "bearer" { return "" }
        if value.prefix(7).lowercased() == "bearer " { return String(value.dropFirst(7)).trimmed }
        return name == "authorization" ? nil : value
    }

    /// The access token as the client sent it; nil if there is none, or the recorder has masked it.
    func token(of entry: RecordedExchange) -> String? {
        guard let text = credential(of: entry), !text.isEmpty, text.utf8.allSatisfy(APIFacts.isTokenByte), !APIFacts.isPlaceholder(text),
            !JournalEntry.isWordForNothing("Bearer \(text)")
        else { return nil }
        return text
    }

    /// Whether the response reports that the request's token is not valid.
    func rejectsToken(_ entry: RecordedExchange) -> Bool {
        guard let status = entry.status else { return false }
        let challenge = entry.responseHeader("www-authenticate") ?? ""
        let rejection = given.rejection ?? APIDescription.Rejection()
        guard rejection.statuses.contains(status) else { return false }
        if let text = rejection.contains {
            return challenge.contains(text) || String(decoding: entry.responseBody.bytes, as: UTF8.self).contains(text)
        }
        // A sign-in is rejected for its password, whichever token it carries: that of the app, or of the customer before.
        guard role(of: entry) != .login else { return false }
        // The token is valid, and the bank asks for something besides: a fresh nonce (RFC 9449 §8), a stronger sign-in (RFC 9470).
        let isMore = ["use_dpop_nonce", "insufficient_user_authentication", "insufficient_scope"].contains { challenge.contains($0) }
        return !isMore && entry.responseHeader("dpop-nonce") == nil
    }

    /// Whether the response names the token as the reason, as the description states it or in the words of RFC 6750 §3.1.
    func namesToken(_ entry: RecordedExchange) -> Bool {
        given.rejection != nil || (entry.responseHeader("www-authenticate") ?? "").contains("invalid_token")
    }

    /// The text by which a sign-in names the customer.
    func customer(of entry: RecordedExchange) -> String? {
        entry.field(given.customer.map { [RecordedExchange.plain($0)] } ?? APIFacts.customerNames)
    }

    // MARK: what was assumed

    /// The facts, a line for each, with the reason, so that a user can correct them.
    ///
    /// - Parameter call: names a request by its method and path, without secrets.
    func lines(_ entries: [RecordedExchange], call: (RecordedExchange) -> String) -> [String] {
        func calls(_ role: Role, _ given: [CallPattern]?) -> String {
            if let given { return "\(given.map(\.description).joined(separator: ", ")) (given)" }
            let found = distinct(entries.filter { self.role(of: $0) == role }.map(call))
            guard !found.isEmpty else { return "none found" }
            return found.prefix(5).joined(separator: ", ") + (found.count > 5 ? ", and \(found.count - 5) more" : "") + " (by name)"
        }
        let rejection = given.rejection ?? APIDescription.Rejection()
        let statuses = rejection.statuses.map(String.init).joined(separator: " or ")
        return [
            "hosts: \(hosts.map { "\($0.sorted().joined(separator: ", ")) (\(hostsReason))" } ?? "none found")",
            "pays: \(calls(.pay, given.pays))",
            "key: \(key.map { "\($0) (\(keyReason))" } ?? "none found")",
            "token: header \(given.tokenHeader ?? "Authorization: Bearer") (\(given.tokenHeader == nil ? "by name" : "given"))",
            "rejected token: status \(statuses)\(rejection.contains.map { " and the text `\($0)`" } ?? "") "
                + "(\(given.rejection == nil ? "by name" : "given"))",
            "sign-in: \(calls(.login, given.signsIn))", "refresh: \(calls(.refresh, given.refreshes))",
            "sign-out: \(calls(.logout, given.signsOut))",
        ]
    }

    private mutating func findKey(_ entries: [RecordedExchange]) {
        let writes = entries.filter { !["GET", "HEAD"].contains($0.method) }
        keyReason = "by name"
        let headers = Set(writes.flatMap { $0.requestHeaders.map { $0.name.lowercased() } })
        if let name = APIFacts.keyHeaders.first(where: headers.contains) {
            key = .header(name)
        } else if let name = writes.flatMap(\.fields).first(where: { APIFacts.keyMembers.contains(RecordedExchange.plain($0.name)) })?.name
        {
            key = .body(name)
        } else if writes.contains(where: { $0.header("x-request-id") != nil && role(of: $0) == .pay }) {
            key = .header("x-request-id")
            isKeyUncertain = true
            keyReason = "by name, and uncertain: many APIs only number requests with it"
        }
    }

    private mutating func findHosts(_ entries: [RecordedExchange]) {
        let named = entries.filter { credential(of: $0) != nil || key(of: $0) != nil || role(of: $0) != nil }
        hostsReason = "by name: requests with a token, a key, a sign-in or a payment"
        hosts = named.isEmpty ? nil : Set(named.map(\.url.host)).subtracting(strangers(named))
        guard hosts == nil else { return }
        let json = entries.filter { $0.responseHeader("content-type")?.lowercased().contains("json") ?? false }
        hostsReason = "their responses are JSON"
        isHostUncertain = true
        hosts = json.isEmpty ? nil : Set(json.map(\.url.host))
    }

    /// The hosts of other parties, such as that of push messages, among those that were found by name.
    ///
    /// Nothing but a token shows them, which neither the bank's responses nor requests to it have, and their names are not like the bank's.
    private func strangers(_ named: [RecordedExchange]) -> Set<String> {
        var tokens: [String: Set<String>] = [:]
        for entry in named {
            if let token = self.token(of: entry) { tokens[entry.url.host, default: []].insert(token) }
        }
        let ofBank = named.filter { key(of: $0) != nil || role(of: $0) != nil }
        let banks = Set(ofBank.map(\.url.host))
        // A host that only signs in shows nothing of the hosts that use its tokens.
        guard banks.contains(where: { tokens[$0] != nil }) else { return [] }
        let known = banks.reduce(into: Set<String>()) { $0.formUnion(tokens[$1] ?? []) }
        let issued = ofBank.map { String(decoding: $0.responseBody.bytes, as: UTF8.self) }
        let parties = Set(banks.map(RecordedURL.party))
        return Set(tokens.keys).filter { host in
            let own = tokens[host] ?? []
            return !banks.contains(host) && !parties.contains(RecordedURL.party(host)) && own.isDisjoint(with: known)
                && !own.contains { token in issued.contains { $0.contains(token) } }
        }
    }

    // MARK: usual names

    private static let keyHeaders = [
        "idempotency-key", "x-idempotency-key", "idempotence-key", "x-idempotence-key", "idempotent-key", "x-idempotent-key",
        "x-idempotency-id", "paypal-request-id",
    ]
    private static let keyMembers: Set<String> = ["idempotencykey", "idempotencyid", "idempotencekey", "idempotentkey"]
    private static let customerNames: Set<String> = [
        "username", "user", "login", "loginid", "userlogin", "email", "userid", "customerid", "customernumber", "phone",
    ]

    private static func pays(_ entry: RecordedExchange) -> Bool {
        let name = entry.lastSegment
        let asks = [
            "cancel", "validate", "check", "simulate", "estimate", "preview", "quote", "search", "list", "stop", "delete", "confirm",
        ]
        return entry.method == "POST" && !asks.contains(where: name.hasPrefix)
            && ["payment", "transfer", "payout", "paymentorder", "remittance"].contains { name.hasSuffix($0) || name.hasSuffix($0 + "s") }
    }

    private static func signsIn(_ entry: RecordedExchange) -> Bool {
        guard entry.method == "POST" else { return false }
        if let grant = entry.field(["granttype"]) { return grant != "refresh_token" }
        let names = ["login", "signin", "authenticate", "token", "session", "sessions"]
        return names.contains(entry.lastSegment)
            && (entry.field(["password", "passwd", "passcode", "pin", "pwd"]) != nil || entry.lastSegment.hasSuffix("in"))
    }

    private static func refreshes(_ entry: RecordedExchange) -> Bool {
        guard entry.method == "POST" else { return false }
        if let grant = entry.field(["granttype"]) { return grant == "refresh_token" }
        return ["refresh", "refreshtoken", "tokenrefresh"].contains(entry.lastSegment)
    }

    private static func signsOut(_ entry: RecordedExchange) -> Bool {
        let parents = entry.url.path.split(separator: "/").dropLast().map { RecordedExchange.plain(String($0)) }
        let parent = parents.last ?? "api"
        let isOfSignIn = signInNames.contains(parent) || isVersion(parent)
        switch entry.lastSegment {
        case "logout", "signout", "logoff", "endsession":
            // `POST /devices/7/logout` ends another device's sign-in.
            let isNumbered = parent.contains(where: \.isNumber)
            return !(isNumbered && ["device", "devices", "session", "sessions"].contains(parents.dropLast().last))
        case "revoke", "revocation":
            // Consents and devices are revoked, too: the revocation of a token is a form that names it (RFC 7009 §2.1).
            return isOfSignIn || (entry.requestHeaders.areOfForm && entry.field(["token"]) != nil)
        case "session", "token":
            // The tokens of cards and of push messages are deleted, too.
            return entry.method == "DELETE" && isOfSignIn
        default: return false
        }
    }

    /// Whether a segment of a path names the version of an API: `v1`.
    private static func isVersion(_ name: String) -> Bool { name.first == "v" && name.count > 1 && name.dropFirst().allSatisfy(\.isNumber) }

    /// The segments that stand in a path before the name of a call to sign in or out.
    private static let signInNames: Set<String> = [
        "api", "auth", "authentication", "connect", "identity", "login", "oauth", "oauth2", "oidc", "openid", "openidconnect", "session",
        "token", "tokens", "user", "users",
    ]

    /// The alphabet of a bearer token (RFC 6750 §2.1).
    private static func isTokenByte(_ byte: UInt8) -> Bool { byte.isLetter || byte.isDigit || "-._~+/=:|".utf8.contains(byte) }

    /// What texts in place of a secret have, in small letters.
    private static let masks = ["redact", "masked", "sanitiz", "sanitis", "removed", "filtered", "hidden", "scrubbed"].map {
        Array($0.utf8)
    }

    /// Whether the text stands in place of a secret that the recorder, or a tool after it, has removed: two such texts are equal though
    /// the secrets were not.
    static func isMasked(_ text: String) -> Bool {
        let plain = text.lowercased()
        let bytes = Array(plain.utf8)
        if masks.contains(where: { bytes.firstPosition(of: $0) != nil }) { return true }
        return Set(plain.filter { !"-._".contains($0) }).count < 3
    }

    /// Whether the text is no secret that can be compared: it is masked, a word that a tool writes in place of each secret, or the
    /// beginning of one.
    ///
    /// Wider than ``isMasked(_:)``, by which an import decides what it must not write.
    static func isPlaceholder(_ text: String) -> Bool {
        if isMasked(text) || words.contains(RecordedExchange.plain(text)) { return true }
        let small = text.lowercased()
        if parts.contains(where: small.contains) { return true }
        // The first part of a JWT is the same for all of an issuer (RFC 7515 §3.1): nothing else is left of one that was cut.
        return jwtBeginnings.contains(where: text.hasPrefix) && !text.contains(".")
    }

    private static let parts = [
        "anonymi", "censored", "confidential", "obfuscat", "omitted", "placeholder", "stripped", "truncated", "...",
    ]
    /// Letters and digits only.
    private static let words: Set<String> = [
        "accesstoken", "bearertoken", "deleted", "dummy", "jwt", "replaced", "secret", "string", "token", "youraccesstoken", "yourtoken",
        "yourtokenhere",
    ]
    /// Of `{"alg":`, `{"typ":` and `{"kid":`.
    private static let jwtBeginnings = ["eyJhbGciOi", "eyJ0eXAiOi", "eyJraWQiOi"]
}
