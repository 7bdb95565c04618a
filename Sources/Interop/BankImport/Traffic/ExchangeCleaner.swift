import BankModel
import Platform

/// Removes secrets from exchanges and replaces personal data: first all exchanges are noted, then each is cleaned.
struct ExchangeCleaner {
    private let keep: Set<String>
    private(set) var pseudonyms: Pseudonyms
    /// Each secret with the name that it was found by.
    private var secrets: [String: String] = [:]
    /// Values of members that are kept.
    private var kept: Set<String> = []
    /// Names of members: such a word is not searched for, because the API itself uses it.
    private var vocabulary: Set<String> = [
        "user", "users", "test", "demo", "admin", "account", "accounts", "payment", "payments", "savings", "current", "card", "cards",
        "name", "bank", "money", "password", "secret", "token", "bearer", "basic", "null", "true", "false", "none", "unknown", "redacted",
        "gbp", "eur", "usd", "expired", "invalid", "missing", "wrong",
    ]
    private var finder = OriginalFinder([])
    private var counts: [String: Int] = [:]

    private static let names = SecretNames()

    init(seed: UInt64, keep: Set<String>) {
        self.keep = Set(keep.map(RecordedExchange.plain))
        pseudonyms = Pseudonyms(seed: seed)
    }

    /// How often each member was removed or replaced, the names in order.
    var report: [(member: String, count: Int)] { counts.sorted { $0.key < $1.key }.map { ($0.key, $0.value) } }

    /// The first file that has a secret or an original in some form.
    func leak(in files: [ImportFile]) -> (file: String, member: String, isSecret: Bool)? {
        for file in files {
            guard let found = finder.first(in: file.bytes) ?? finder.first(in: Array(file.path.utf8)) else { continue }
            return (file.path, found.member, secrets.keys.contains { Array($0.utf8) == found.text })
        }
        return nil
    }

    // MARK: noting

    /// - Parameter isGrant: whether the response issues tokens.
    mutating func note(_ exchange: RecordedExchange, isGrant: Bool) {
        for secret in exchange.secrets + exchange.possibleTokens { add(secret: secret, "credentials") }
        for header in exchange.requestHeaders { noteRequestHeader(header) }
        for header in exchange.responseHeaders {
            if header.name.lowercased() == "set-cookie" {
                noteCookies(String(header.value.prefix { $0 != ";" }))
            } else if ExchangeCleaner.isSecret(header: header.name) {
                add(secret: header.value, header.name)
            } else {
                collect { fields in _ = fields.blanked(header: header.value) }
            }
        }
        if let password = exchange.url.password { add(secret: password, "password of the URL") }
        collect { fields in
            _ = fields.blanked(path: exchange.url.path)
            _ = exchange.url.query.map { fields.blanked(query: $0) }
        }
        for segment in exchange.url.segments {
            let kind = PersonalData(formOf: segment) ?? (PersonalData.isID(segment: segment) ? .id : nil)
            if keep.contains("path") {
                kept.insert(segment)
            } else if let kind {
                pseudonyms.add(segment, kind, member: "path")
            }
        }
        for field in FormFields(exchange.url.query ?? "").all { note([field.name], .string(field.value), side: .request) }
        note(body: exchange.requestBody.bytes, exchange.requestHeaders, side: .request)
        note(body: exchange.responseBody.bytes, exchange.responseHeaders, side: isGrant ? .request : .response)
    }

    private mutating func noteRequestHeader(_ header: JournalEntry.Header) {
        let name = header.name.lowercased()
        if name == "authorization" || name == "proxy-authorization" {
            let words = header.value.split(separator: " ", maxSplits: 1)
            let value = words.count == 2 ? String(words[1]) : header.value
            add(secret: value, header.name)
            if words.first?.lowercased() == "basic", let plain = Base64.decoded(value) {
                let parts = String(decoding: plain, as: UTF8.self).split(separator: ":", maxSplits: 1).map(String.init)
                for part in parts.dropFirst() { add(secret: part, header.name) }
                if let user = parts.first { pseudonyms.add(user, .name, member: header.name) }
            }
        } else if name == "cookie" {
            for cookie in header.value.split(separator: ";") { noteCookies(String(cookie)) }
        } else if ExchangeCleaner.isSecret(header: name) || ExchangeCleaner.isCredential(header) {
            add(secret: header.value, header.name)
        } else {
            collect { fields in _ = fields.blanked(header: header.value) }
        }
    }

    private mutating func noteCookies(_ pair: String) {
        guard let sign = pair.firstIndex(of: "=") else { return }
        add(secret: String(pair[pair.index(after: sign)...]).filter { $0 != "\"" && $0 != " " }, "cookie")
    }

    private static func isSecret(header name: String) -> Bool {
        let plain = RecordedExchange.plain(name)
        return names.holdHeader(name)
            || ["token", "secret", "apikey", "session", "signature", "csrf", "xsrf", "cookie", "assertion", "subscriptionkey"]
                .contains(where: plain.contains)
    }

    /// What a recorded response may show of a card, besides the secrets that any message may have.
    private static let cardSecrets: Set<String> = ["pin", "pincode", "cardpin", "cvv", "cvv2", "cvc", "cvc2", "securitycode"]

    private static func isSecret(_ name: String, in side: SecretNames.Side) -> Bool {
        names.hold(name, in: side) || cardSecrets.contains(RecordedExchange.plain(name))
    }

    private mutating func note(body: [UInt8], _ headers: [JournalEntry.Header], side: SecretNames.Side) {
        guard !body.isEmpty else { return }
        if let leaves = JSONText.leaves(body) {
            for leaf in leaves { note(leaf.path, leaf.value, side: side) }
        } else if headers.areOfForm {
            for field in FormFields(String(decoding: body, as: UTF8.self)).all {
                note([field.name], .string(field.value), side: side)
            }
        } else if let text = String(validUTF8: body) {
            for leaf in MarkupText.leaves(text) { note([String(leaf.name)], .string(String(leaf.value)), side: side) }
            noteWords(of: text, member: "text")
        }
        collect(side) { fields in _ = fields.blanked(body: body) }
    }

    private mutating func note(_ path: [String], _ value: JSON, side: SecretNames.Side) {
        for name in path where name.allSatisfy({ $0 == "_" || $0.isLetter }) { vocabulary.insert(name.lowercased()) }
        guard let text = value.string ?? value.number?.digits, !text.isEmpty else { return }
        let member = path.last ?? "text"
        if path.contains(where: { ExchangeCleaner.isSecret($0, in: side) }) || ExchangeCleaner.isJWT(text) {
            add(secret: text, member)
        } else if keep.contains(RecordedExchange.plain(member)) {
            kept.insert(text)
        } else if let kind = PersonalData(path, text) {
            pseudonyms.add(text, kind, member: member)
        } else if value.string != nil {
            noteWords(of: text, member: member)
        }
    }

    /// Addresses, account and card numbers within a sentence.
    private mutating func noteWords(of text: String, member: String) {
        guard text.contains("@") || text.utf8.count >= 15 else { return }
        for word in text.split(whereSeparator: { " \t\r\n,;:()<>[]{}\"'/?&=".contains($0) }) {
            let word = String(word)
            if ExchangeCleaner.isJWT(word) {
                add(secret: word, member)
            } else if let kind = PersonalData(formOf: word) {
                pseudonyms.add(word, kind, member: member)
            }
        }
    }

    private mutating func add(secret: String, _ member: String) {
        if secret != SecretFields.mark, !APIFacts.isMasked(secret), secrets[secret] == nil { secrets[secret] = member }
    }

    /// Collects what ``SecretFields`` finds, in texts within texts too.
    private mutating func collect(_ side: SecretNames.Side = .request, _ look: (SecretFields) -> Void) {
        var found: [String] = []
        look(
            SecretFields(ExchangeCleaner.names, in: side) { value in
                found.append(value)
                return nil
            })
        for value in found { add(secret: value, "a secret field") }
    }

    /// A JSON Web Token (RFC 7519 §3).
    private static func isJWT(_ text: String) -> Bool {
        text.hasPrefix("eyJ") && text.utf8.count > 40 && text.split(separator: ".").count >= 2
    }

    // MARK: cleaning

    /// Draws the replacements, once all exchanges have been noted.
    mutating func prepare() {
        let kept = kept.union(secrets.keys)
        let hidden = secrets.filter { isSearched($0.key, isPersonal: false) }.map { text, member in
            OriginalFinder.Original(
                text: Array(text.utf8), member: member, replacement: Array("redacted".utf8), isWord: text.utf8.count < 10)
        }
        let personal = pseudonyms.members.sorted { $0.key < $1.key }
            .filter { !kept.contains($0.key) && isSearched($0.key, isPersonal: true) }
        let sought = personal.flatMap { originals($0.key, $0.value, replacement: "") }
        pseudonyms.assign(keeping: kept, avoiding: OriginalFinder(sought + hidden))
        let replaced = personal.flatMap { originals($0.key, $0.value, replacement: pseudonyms.replacements[$0.key] ?? "redacted") }
        finder = OriginalFinder(replaced + hidden)
    }

    /// A text of personal data as it is looked for: a name in capitals too.
    private func originals(_ text: String, _ member: String, replacement: String) -> [OriginalFinder.Original] {
        let original = OriginalFinder.Original(
            text: Array(text.utf8), member: member, replacement: Array(replacement.utf8), isWord: true)
        guard text.contains(" "), text.contains(where: \.isLowercase) else { return [original] }
        var capitals = original
        capitals.text = Array(text.uppercased().utf8)
        capitals.replacement = Array(replacement.uppercased().utf8)
        return [original, capitals]
    }

    /// Whether a text is distinctive enough to be looked for within others.
    private func isSearched(_ text: String, isPersonal: Bool) -> Bool {
        guard !vocabulary.contains(text.lowercased()) else { return false }
        if text.utf8.count >= 6 { return true }
        if isPersonal { return text.utf8.count >= 3 && text.allSatisfy(\.isLetter) }
        return text.utf8.count >= 4 && text.contains(where: \.isLetter)
    }

    /// The exchange without secrets; nil if a body that is not text has one, or an original.
    ///
    /// - Parameter isGrant: whether the response issues tokens.
    mutating func clean(_ exchange: RecordedExchange, isGrant: Bool) -> RecordedExchange? {
        var clean = exchange
        clean.url.path = "/" + exchange.url.segments.map { percentEncoded(text(whole: $0, "path")) }.joined(separator: "/")
        clean.url.query = exchange.url.query.map { formEncoded(cleaned($0, .request)) }
        clean.requestHeaders = exchange.requestHeaders.filter { $0.name.lowercased() == "content-type" }
        clean.responseHeaders = exchange.responseHeaders.compactMap { header in
            guard header.name.lowercased() != "set-cookie", !ExchangeCleaner.isSecret(header: header.name) else {
                counts["header \(header.name)", default: 0] += 1
                return nil
            }
            let fields = SecretFields(ExchangeCleaner.names, in: .request) { _ in nil }
            return JournalEntry.Header(header.name, text(fields.blanked(header: header.value) ?? header.value, "header \(header.name)"))
        }
        guard let request = body(exchange.requestBody.bytes, exchange.requestHeaders, side: .request),
            let response = body(exchange.responseBody.bytes, exchange.responseHeaders, side: isGrant ? .request : .response)
        else { return nil }
        if !exchange.requestBody.isMissing { clean.requestBody = .bytes(request) }
        clean.responseBody = .bytes(response)
        return clean
    }

    private mutating func body(_ bytes: [UInt8], _ headers: [JournalEntry.Header], side: SecretNames.Side) -> [UInt8]? {
        guard !bytes.isEmpty else { return [] }
        let fields = SecretFields(ExchangeCleaner.names, in: side) { _ in nil }
        let finder = finder
        let json = JSONText.edited(
            bytes, rename: { finder.replaced(in: Array($0.utf8)).map { String(decoding: $0, as: UTF8.self) } },
            { leaf in
                let isNumber = leaf.value.number != nil
                guard let text = leaf.value.string ?? leaf.value.number?.digits,
                    let new = counting(leaf.path, text, side: side, isNumber: isNumber)
                else { return nil }
                let number = isNumber ? try? JSON(parsing: Array(new.utf8)) : nil
                return number ?? JSON.string(new)
            })
        if let json { return fields.blanked(body: json) ?? json }
        guard let text = String(validUTF8: bytes) else { return finder.first(in: bytes) == nil ? bytes : nil }
        if headers.areOfForm { return Array(formEncoded(cleaned(text, side)).utf8) }
        let edited = MarkupText.edited(String(decoding: fields.blanked(body: bytes) ?? bytes, as: UTF8.self)) { leaf in
            counting([String(leaf.name)], String(leaf.value), side: side)
        }
        return Array(self.text(edited, "text").utf8)
    }

    /// The fields of a form or query without secrets.
    private mutating func cleaned(_ form: String, _ side: SecretNames.Side) -> [(name: String, value: String)] {
        FormFields(form).all.map { ($0.name, counting([$0.name], $0.value, side: side) ?? $0.value) }
    }

    /// The replacement of a value, which is counted; nil if it stays.
    private mutating func counting(_ path: [String], _ text: String, side: SecretNames.Side, isNumber: Bool = false) -> String? {
        guard let new = replacement(path, text, side: side, isNumber: isNumber) else { return nil }
        counts[path.last ?? "text", default: 0] += 1
        return new
    }

    private mutating func text(_ text: String, _ member: String) -> String {
        guard let new = finder.replaced(in: Array(text.utf8)) else { return text }
        counts[member, default: 0] += 1
        return String(decoding: new, as: UTF8.self)
    }

    private mutating func text(whole text: String, _ member: String) -> String {
        guard let new = pseudonyms.replacements[text], text.utf8.count >= 4 else { return self.text(text, member) }
        counts[member, default: 0] += 1
        return new
    }

    /// The replacement of a value; nil if it stays.
    private func replacement(_ path: [String], _ text: String, side: SecretNames.Side, isNumber: Bool) -> String? {
        guard !text.isEmpty else { return nil }
        if path.contains(where: { ExchangeCleaner.isSecret($0, in: side) }) { return SecretFields.mark }
        if let known = pseudonyms.replacements[text] {
            let isOfMember = PersonalData(path, text) != nil
            if isOfMember || text.utf8.count >= 6 || !isNumber && text.utf8.count >= 4 && text.contains(where: \.isNumber) { return known }
        }
        guard !isNumber, !keep.contains(RecordedExchange.plain(path.last ?? "")) else { return nil }
        if let new = finder.replaced(in: Array(text.utf8)) { return String(decoding: new, as: UTF8.self) }
        // Base 64 of a text.
        guard text.utf8.count >= 12, let decoded = Base64.decoded(text), let new = finder.replaced(in: decoded) else { return nil }
        return Base64.encoded(new)
    }
}
