import BankModel

/// Names the tokens of an archive, `token#1` and `refresh#1`, in the order of time, and takes them and other secrets out of texts.
struct TokenLabels {
    private var labels: [String: String] = [:]
    /// The number of labels of each kind.
    private var counts: [String: Int] = [:]
    /// The length of the longest token, in bytes.
    private var longest = 0

    /// Shorter texts are words, and stay in texts where they are not the whole token.
    private static let shortest = 8

    /// - Parameter entries: in the order of time.
    init(_ entries: [RecordedExchange], _ facts: APIFacts) {
        for entry in entries {
            if let token = facts.token(of: entry) { add(token) }
            if let token = entry.field(["refreshtoken"]) { add(token, as: "refresh") }
            let role = facts.role(of: entry)
            guard let json = try? JSON(parsing: entry.responseBody.bytes) else { continue }
            // Elsewhere `token` may be a page's.
            note(json, isGrant: role == .login || role == .refresh)
        }
    }

    /// The name of a token; nil for any other text.
    func label(_ token: String) -> String? { labels[token] }

    /// The name by which a token stands in texts; nil for one that is too short for that, or has signs between which texts are looked at.
    func labelInTexts(_ token: String) -> String? {
        token.utf8.count >= TokenLabels.shortest && token.utf8.allSatisfy(TokenLabels.isWord) ? labels[token] : nil
    }

    private mutating func add(_ token: String, as kind: String = "token") {
        guard labels[token] == nil, !APIFacts.isPlaceholder(token) else { return }
        let number = counts[kind, default: 0] + 1
        counts[kind] = number
        longest = max(longest, token.utf8.count)
        labels[token] = "\(kind)#\(number)"
    }

    private mutating func note(_ json: JSON, isGrant: Bool) {
        for (name, value) in json.allMembers() {
            guard let text = value.string, text.utf8.count >= TokenLabels.shortest else { continue }
            switch RecordedExchange.plain(name) {
            case "refreshtoken": add(text, as: "refresh")
            case "accesstoken", "sessiontoken", "authtoken", "bearertoken": add(text)
            case "token", "jwt": if isGrant { add(text) }
            default: break
            }
        }
    }

    // MARK: texts without secrets

    /// `POST /v1/payments`, without secrets.
    func call(_ entry: RecordedExchange) -> String { "\(entry.method) \(path(entry.url.path))" }

    /// A path without tokens and other secrets.
    func path(_ text: String) -> String { self.text(fields(.request).blanked(path: text) ?? text) }

    /// A query without tokens and other secrets.
    func query(_ text: String) -> String { self.text(fields(.request).blanked(query: text) ?? text) }

    /// A body without tokens and other secrets.
    func body(_ bytes: [UInt8], of side: SecretNames.Side) -> [UInt8] { replaced(in: fields(side).blanked(body: bytes) ?? bytes) }

    /// A text, such as a key or a header, without tokens.
    func text(_ text: String) -> String { String(decoding: replaced(in: Array(text.utf8)), as: UTF8.self) }

    private func fields(_ side: SecretNames.Side) -> SecretFields { SecretFields(SecretNames(), in: side) { labels[$0] } }

    /// The text with the name of each token in its place, and without what looks like another (a JWT, RFC 7519 §3).
    private func replaced(in bytes: [UInt8]) -> [UInt8] {
        var out: [UInt8] = []
        var position = 0
        while position < bytes.count {
            let end = bytes[position...].firstIndex { !TokenLabels.isWord($0) } ?? bytes.count
            out +=
                end - position >= TokenLabels.shortest
                ? replaced(word: bytes[position..<end]) : Array(bytes[position..<end])
            if end < bytes.count { out.append(bytes[end]) }
            position = end + 1
        }
        return out
    }

    /// A word may be a whole image in base64, so each part of it is looked at once, from its beginning to its end.
    private func replaced(word: ArraySlice<UInt8>) -> [UInt8] {
        // A path, or a name and a value.
        let signs = Array("/=:".utf8)
        var (out, rest): ([UInt8], ArraySlice<UInt8>) = ([], word)
        while true {
            if let label = label(rest) { return out + Array(label.utf8) }
            guard let sign = rest.firstIndex(where: signs.contains) else { return out + rest }
            let head = rest[..<sign]
            out += label(head).map { Array($0.utf8) } ?? Array(head)
            out.append(rest[sign])
            rest = rest[(sign + 1)...]
        }
    }

    /// The name of the token that a word is, as it is, percent-encoded or in base64; the mark for what looks like another token.
    private func label(_ word: ArraySlice<UInt8>) -> String? {
        guard word.count >= TokenLabels.shortest else { return nil }
        // Longer than any known token with all its characters encoded, beside a name in HTTP Basic.
        guard word.count <= 6 * longest + 1024 else { return word.starts(with: "eyJ".utf8) ? SecretFields.mark : nil }
        let plain = Escapes.removed(Array(word), plusIsSpace: false) ?? Array(word)
        let text = String(decoding: plain, as: UTF8.self)
        if let label = labels[text] { return label }
        if text.hasPrefix("eyJ"), text.count > 40 { return SecretFields.mark }
        guard plain.count > 12 else { return nil }
        guard let decoded = Base64.decoded(inEitherAlphabet: plain.filter { $0 != UInt8(ascii: "=") }) else { return nil }
        let pieces = decoded.split { !TokenLabels.isWord($0) && $0 != UInt8(ascii: ":") }.map { String(decoding: $0, as: UTF8.self) }
        return pieces.lazy.compactMap { labels[$0] }.first
    }

    /// Whether the byte may be part of a token, percent-encoded or not.
    private static func isWord(_ byte: UInt8) -> Bool { byte.isLetter || byte.isDigit || "-._~+/=%:|".utf8.contains(byte) }
}
