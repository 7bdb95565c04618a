package import BankModel

/// The bank's response with other headers, or with other texts in its body.
package struct EditFault: ExchangeFault {
    package static let kind = "edit"
    package static let about = "sends the bank's response with other headers, or with texts of its body replaced"
    package static let effects: Set<FaultEffect> = [.wholeResponse, .changesContent]
    package static let example = #"{"headers": {"Cache-Control": "no-store"}, "without": ["ETag"], "replace": {"\"GBP\"": "\"XTS\""}}"#
    package static let fields: [any AnyField] = [headers, without, replace]
    package static let rules: [KeyRule] = [.atLeastOne([headers.key, without.key, replace.key])]
    package let point = FaultPoint.head

    private static let headers = Field("headers", .headerLines, default: [], "headers to set, by name")
    private static let without = Field("without", .texts("a header's name", atLeast: 1), "headers to leave out")
    private static let replace = Field(
        "replace", Replacement.format, "texts of the body, each with the one that is sent in its place, wherever it occurs")

    let added: [JournalEntry.Header]
    let removed: [String]
    let replacements: [Replacement]

    /// A text of the body, and the one that is sent in its place.
    struct Replacement: Sendable, Hashable {
        let old: String
        let new: String
    }

    package init?(_ fields: Fields, _ complaints: Complaints) {
        let added = fields[Self.headers] ?? []
        let removed = fields[Self.without] ?? []
        let replacements = fields[Self.replace] ?? []
        guard !added.isEmpty || !removed.isEmpty || !replacements.isEmpty else {
            complaints.add(found: "no change", expected: "`headers`, `without` or `replace`", at: fields.node.position)
            return nil
        }
        if let name = (added.map(\.name) + removed).first(where: EditFault.isOfServer) {
            complaints.add(
                found: "the header `\(name)`", expected: "one other than Connection, Content-Length, Date and Transfer-Encoding",
                at: fields.node.position)
            return nil
        }
        self.added = added
        self.removed = removed
        self.replacements = replacements
    }

    /// Whether the server writes the header itself.
    private static func isOfServer(_ name: String) -> Bool {
        ["Connection", "Content-Length", "Date", "Transfer-Encoding"].contains { name.isHeaderName($0) }
    }

    package func apply(_ outgoing: inout OutgoingResponse, _ context: FaultContext) throws(NotApplied) {
        if let body = try edited(outgoing) { outgoing.body = body }
        for header in added { outgoing.setHeader(header.name, header.value) }
        outgoing.headers.removeAll { header in removed.contains { header.name.isHeaderName($0) } }
        // The wire would announce the coding in another header of that name.
        if (added.map(\.name) + removed).contains(where: { $0.isHeaderName("Content-Encoding") }) { outgoing.coding = nil }
    }

    /// The body with its texts replaced; nil if it stays as it is.
    ///
    /// - Throws: ``NotApplied`` if that leaves nothing to change, or if the body would be too large.
    private func edited(_ outgoing: OutgoingResponse) throws(NotApplied) -> [UInt8]? {
        // A coded body has no texts.
        if !replacements.isEmpty, outgoing.mayHaveBody, outgoing.reaches(.body), outgoing.plainBody == nil {
            let edited = try replaced(outgoing.body)
            if edited != outgoing.body { return edited }
        }
        guard !added.isEmpty || !removed.isEmpty else { throw NotApplied("the body has no text that `replace` names") }
        return nil
    }

    /// The largest edited body, in bytes.
    private static let largestBody = 64 << 20

    /// Replaces the texts in one pass: a text that is put in is not replaced again. Where two begin, the first in the list is replaced.
    ///
    /// It compares bytes, because characters may be larger than a text: CR and LF are one character.
    private func replaced(_ body: [UInt8]) throws(NotApplied) -> [UInt8] {
        let texts = replacements.map { (old: Array($0.old.utf8), new: Array($0.new.utf8)) }
        var edited: [UInt8] = []
        var position = 0
        while position < body.count {
            let rest = body[position...]
            if let text = texts.first(where: { rest.starts(with: $0.old) }) {
                edited += text.new
                position += text.old.count
            } else {
                edited.append(body[position])
                position += 1
            }
            guard edited.count <= EditFault.largestBody else { throw NotApplied("the edited body would be larger than 64 MiB") }
        }
        return edited
    }

    package var settings: JSON {
        var object = JSONObject()
        if !added.isEmpty { object.set(Self.headers, added) }
        if !removed.isEmpty { object.set(Self.without, removed) }
        if !replacements.isEmpty { object.set(Self.replace, replacements) }
        return .object(object)
    }
}

extension EditFault.Replacement {
    fileprivate static let format = Format<[EditFault.Replacement]>(
        .map(keys: "a text of the body", .text(TextSchema("the text that is sent in its place", pattern: "[\\s\\S]*"))),
        read: { node, complaints in
            Fields(node, of: "`replace`", complaints).all.compactMap { old, keyNode, new -> EditFault.Replacement? in
                guard !old.isEmpty else { return keyNode.wrong(complaints, "a text of the body") }
                guard let text = new.scalar else { return new.wrong(complaints, "the text that is sent in its place") }
                return EditFault.Replacement(old: old, new: text)
            }
        }, write: { .object(JSONObject($0.map { ($0.old, .string($0.new)) })) })
}
