package import BankCore
import BankModel

/// Removes secrets before an exchange is recorded: replaces known tokens by their ids, at any position and in any encoding, and blanks the
/// values of fields whose names denote secrets.
package struct Redaction {
    let tokens: TokenBook
    let names: SecretNames
    /// The journal's name of the token that the request presents; nil if it must be looked up.
    var presented: String?

    func header(_ header: JournalEntry.Header) -> JournalEntry.Header {
        let name = text(header.name)
        guard names.holdHeader(header.name) else { return JournalEntry.Header(name, value(header.value)) }
        if header.name.isHeaderName("authorization") {
            let scheme = header.value.tokenScheme
            let label = presented ?? tokens.presented(header.value, scheme: scheme ?? "Bearer").label ?? "unknown"
            if label == "unknown", JournalEntry.isWordForNothing(header.value) { return JournalEntry.Header(name, header.value) }
            return JournalEntry.Header(name, scheme.map { "\($0) \(label)" } ?? SecretFields.mark)
        }
        // A known token in another header is shown by its id.
        let credential = header.value.tokenScheme == "Bearer" ? String(header.value.dropFirst(6).drop { $0 == " " }) : header.value
        return JournalEntry.Header(name, isCookie(header.name) ? SecretFields.mark : label(credential) ?? SecretFields.mark)
    }

    /// A request's target: path and query.
    func target(_ target: String) -> String {
        guard mayHoldSecret(target) else { return target }
        let fields = SecretFields(names, in: .request, label: label)
        let mark = target.utf8.firstIndex(of: UInt8(ascii: "?")) ?? target.endIndex
        let path = String(target[..<mark])
        let clean = fields.blanked(path: path) ?? path
        guard mark < target.endIndex else { return text(clean) }
        let query = String(target[target.utf8.index(after: mark)...])
        return text(clean + "?" + (fields.blanked(query: query) ?? query))
    }

    /// A text outside any field, such as a key: only tokens are replaced.
    package func text(_ text: String) -> String {
        guard mayHoldSecret(text) else { return text }
        return tokenless(Array(text.utf8)).map { String(decoding: $0, as: UTF8.self) } ?? text
    }

    /// A body, or its beginning.
    func body(_ bytes: [UInt8], of side: SecretNames.Side) -> [UInt8] {
        guard bytes.withUnsafeBufferPointer(mayHoldSecret) else { return bytes }
        let clean = SecretFields(names, in: side, label: label).blanked(body: bytes) ?? bytes
        return tokenless(clean) ?? clean
    }

    /// A rule for display: a header that it matches may hold a secret.
    func rule(_ json: JSON) -> JSON {
        switch json {
        case .string(let text): .string(self.text(text))
        case .array(let values): .array(values.map(rule))
        case .object(let object):
            .object(
                JSONObject(
                    object.members.map { key, value in
                        guard key == "header" || key == "headers", let headers = value.object else { return (key: key, value: rule(value)) }
                        let clean = headers.members.map { name, value -> (key: String, value: JSON) in
                            guard let text = value.string else { return (name, rule(value)) }
                            let header = header(JournalEntry.Header(name, text))
                            return (header.name, .string(header.value))
                        }
                        return (key: key, value: .object(JSONObject(clean)))
                    }))
        case .null, .bool, .number: json
        }
    }

    /// A header's value: blanks the secret parameters of an address or a list in it.
    private func value(_ text: String) -> String {
        guard mayHoldSecret(text) else { return text }
        return self.text(SecretFields(names, in: .request, label: label).blanked(header: text) ?? text)
    }

    private func isCookie(_ name: String) -> Bool { name.lowercased().hasSuffix("cookie") }

    /// The replacement of a text that is exactly one token: its id if it is known.
    private func label(_ text: String) -> String? {
        guard text.hasPrefix("cf_"), text.utf8.count > TokenSpelling.shortest else { return nil }
        return tokens.token(text)?.id ?? "unknown"
    }

    private func tokenless(_ bytes: [UInt8]) -> [UInt8]? {
        TokenSpelling.replaced(in: bytes) { tokens.token($0)?.id ?? "unknown" }
    }

    // MARK: a quick look

    private func mayHoldSecret(_ text: String) -> Bool { text.utf8.withContiguousStorageIfAvailable(mayHoldSecret) ?? true }

    private func mayHoldSecret(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        names.mayBe(in: bytes, orTokensBeginning: TokenSpelling.lead)
    }
}

extension Redaction {
    package init(_ state: borrowing SessionState, presented: String? = nil) {
        self.init(tokens: state.tokens, names: state.prepared.secretNames, presented: presented)
    }
}

extension String {
    /// The scheme of a header's value, if that carries a token: `Bearer` (RFC 6750 §2.1) or `DPoP` (RFC 9449 §7.1).
    fileprivate var tokenScheme: String? { ["Bearer", "DPoP"].first { prefix($0.count).lowercased() == $0.lowercased() } }
}
