import BankModel

extension ExchangeCleaner {
    /// The fields of a query or a form, decoded.
    static func pairs(_ text: String) -> [(name: String, value: String)] {
        text.split(separator: "&").map { pair in
            let sign = pair.firstIndex(of: "=") ?? pair.endIndex
            return (decoded(String(pair[..<sign]), plusIsSpace: true), decoded(String(pair[sign...].dropFirst()), plusIsSpace: true))
        }
    }

    static func decoded(_ text: String, plusIsSpace: Bool) -> String {
        let bytes = Array(text.utf8)
        return String(decoding: Escapes.removed(bytes, plusIsSpace: plusIsSpace) ?? bytes, as: UTF8.self)
    }

    /// The members of a body's JSON, or the fields of its form, that are texts, numbers or truth values.
    static func fields(_ body: [UInt8], _ headers: [JournalEntry.Header]) -> [(name: String, value: String)] {
        if let json = try? JSON(parsing: body) {
            return json.object?.members.compactMap { name, value in value.isContainer ? nil : (name, value.plainText) } ?? []
        }
        return isForm(headers) ? pairs(String(decoding: body, as: UTF8.self)) : []
    }

    static func isForm(_ headers: [JournalEntry.Header]) -> Bool {
        headers.contains { $0.name.lowercased() == "content-type" && $0.value.lowercased().contains("x-www-form-urlencoded") }
    }
}
