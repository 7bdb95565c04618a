package import BankModel

/// The texts that a bank sent under certain names: what must not be readable on a disk. What the client sent before is its own.
package struct ServedTexts: Sendable {
    /// By a label of the field's name and a number, such as `description#2`.
    package private(set) var texts: [String: String] = [:]

    /// `fields` are names of members at any depth; of a body that was cut, what stands before the cut counts.
    package init(_ journal: [JournalEntry], fields: [String]) {
        let bodies = journal.enumerated().filter { !$0.element.requestBody.isEmpty }
        let sent = Dictionary(
            bodies.flatMap { index, entry in
                ((try? JSON(parsing: entry.requestBody))?.flattened ?? []).compactMap(\.string).map { ($0, index) }
            },
            uniquingKeysWith: { first, _ in first })
        for field in fields {
            let name = JSON.string(field).bytes
            var known: Set<String> = []
            for (index, entry) in journal.enumerated() {
                for text in ServedTexts.values(of: name, in: entry.responseBody)
                where sent[text].map({ $0 > index }) ?? true && known.insert(text).inserted {
                    texts["\(field)#\(known.count)"] = text
                }
            }
        }
    }

    /// The texts that follow each occurrence of the quoted name and a colon.
    private static func values(of name: [UInt8], in body: [UInt8]) -> [String] {
        var values: [String] = []
        var start = 0
        while let key = body.firstPosition(of: name, from: start) {
            start = key + name.count
            let behind = body[start...].drop { $0.isBlank }
            guard behind.first == UInt8(ascii: ":") else { continue }
            let value = behind.dropFirst().drop { $0.isBlank }
            guard value.first == UInt8(ascii: "\""), let end = end(of: value) else { continue }
            if let text = (try? JSON(parsing: Array(value[value.startIndex...end])))?.string { values.append(text) }
        }
        return values
    }

    /// The end of the text that begins here.
    private static func end(of text: ArraySlice<UInt8>) -> Int? {
        var index = text.startIndex + 1
        while index < text.endIndex, text[index] != UInt8(ascii: "\"") { index += text[index] == UInt8(ascii: "\\") ? 2 : 1 }
        return index < text.endIndex ? index : nil
    }
}
