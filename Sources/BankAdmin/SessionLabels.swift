import BankModel

extension Format<[String: String]> {
    /// Names and values that are safe in an address, a table and a log.
    static var labels: Format<[String: String]> {
        Format<[String: String]>(
            .map(keys: "labels", .text(TextSchema("1 to 63 of letters, digits, spaces and _.:/@+-", pattern: "[A-Za-z0-9_.:/@+ -]{1,63}"))),
            read: { node, complaints -> [String: String]? in
                guard let members = node.json.object, members.keys.count <= 16 else {
                    return node.wrong(complaints, "at most 16 labels such as {\"team\": \"ios\"}")
                }
                var labels: [String: String] = [:]
                for key in members.keys {
                    guard key.wholeMatch(of: /[a-z0-9_.-]{1,63}/) != nil else {
                        return node.wrong(complaints, "labels named by 1 to 63 of a-z, 0-9 and _.-, not \(key.prefix(70))")
                    }
                    guard let text = members[key]?.string, text.wholeMatch(of: /[A-Za-z0-9_.:\/@+ -]{1,63}/) != nil else {
                        return node.wrong(complaints, "a text of 1 to 63 letters, digits, spaces and _.:/@+- for \(key)")
                    }
                    labels[key] = text
                }
                return labels
            })
    }
}
