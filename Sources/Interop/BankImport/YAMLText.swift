package import BankModel

/// Writes JSON values as YAML that people like to read: blocks outside, short things on one line.
package enum YAMLText {
    /// The value as a YAML document, after a comment.
    ///
    /// - Parameter schema: the JSON Schema that editors check the file by, relative to it; nil for none.
    package static func document(_ value: JSON, schema: String? = nil, comment: String) -> String {
        (schema.map { YAMLText.modeline($0) + "\n" } ?? "") + "# \(comment)\n" + block(value, indent: 0).joined(separator: "\n") + "\n"
    }

    /// The line by which editors with yaml-language-server find a file's JSON Schema.
    static func modeline(_ schema: String) -> String { "# yaml-language-server: $schema=\(schema)" }

    /// The schemas of files, relative to the files' folders: they are in `schemas`, beside the banks.
    static let bankSchema = "../schemas/bank.schema.json", dialectSchema = "../schemas/dialect.schema.json"
    static let expectedSchema = "../schemas/expected.schema.json"

    /// Longer values are spread over lines.
    private static let width = 100

    private static func block(_ value: JSON, indent: Int) -> [String] {
        let space = String(repeating: " ", count: indent)
        switch value {
        case .object(let object) where !object.members.isEmpty:
            return object.members.flatMap { key, value -> [String] in
                let isEmpty = value.object?.members.isEmpty ?? value.array?.isEmpty ?? true
                let (name, short) = ("\(space)\(scalar(key)):", inline(value))
                guard !isEmpty, indent == 0 || short.count > width else { return ["\(name) \(short)"] }
                return [name] + block(value, indent: indent + 2)
            }
        case .array(let elements) where !elements.isEmpty:
            return elements.flatMap { element -> [String] in
                guard inline(element).count > width, case .object = element else { return ["\(space)- \(inline(element))"] }
                let inner = block(element, indent: indent + 2)
                return ["\(space)- \(inner[0].dropFirst(indent + 2))"] + inner.dropFirst()
            }
        default: return [space + inline(value)]
        }
    }

    /// The value on one line.
    static func inline(_ value: JSON) -> String {
        switch value {
        case .null: "null"
        case .bool(let value): String(value)
        case .number(let number): number.digits
        case .string(let text): scalar(text)
        case .array(let elements): "[" + elements.map(inline).joined(separator: ", ") + "]"
        case .object(let object): "{" + object.members.map { "\(scalar($0.key)): \(inline($0.value))" }.joined(separator: ", ") + "}"
        }
    }

    /// Words that readers of YAML take for something else; `on`, which old ones do, is a key of our rules.
    private static let words: Set<String> = ["null", "true", "false", "yes", "no", "off", "y", "n"]

    /// A text: bare if nobody could take it for anything else, else in double quotes.
    private static func scalar(_ text: String) -> String {
        let letters = text.utf8
        let isPlain =
            letters.first.map { $0.isLetter || $0 == UInt8(ascii: "/") } ?? false
            && letters.allSatisfy { $0.isLetter || $0.isDigit || "-_./".utf8.contains($0) }
        return isPlain && !words.contains(text.lowercased()) || Duration(text: text) != nil ? text : quoted(text)
    }

    /// As in JSON; what YAML does not take for printable (YAML 1.2 §5.1) is escaped too.
    private static func quoted(_ text: String) -> String {
        var out = ""
        for scalar in JSON.string(text).text.unicodeScalars {
            switch scalar.value {
            case 0x7F...0x9F, 0x2028, 0x2029, 0xFEFF, 0xFFFE, 0xFFFF: out += "\\u" + String(hexadecimal(UInt64(scalar.value)).suffix(4))
            default: out.unicodeScalars.append(scalar)
            }
        }
        return out
    }
}

/// Writes rules as an outage that begins at once and lasts.
enum PlanText {
    /// The file of a plan. Its schema is with those of the banks if the plan is in a folder `outages`, else beside the plan.
    static func file(_ path: String, about: String, rules: [JSON]) -> ImportFile {
        let plan: JSON = ["about": .string(about), "entries": [["at": "0s", "rules": .array(rules)]]]
        let isAmongBanks = path.split(separator: "/").dropLast().last == "outages"
        let schema = (isAmongBanks ? "../schemas/" : "") + "plan.schema.json"
        return ImportFile(path, YAMLText.document(plan, schema: schema, comment: "Written by counterfoil import."))
    }
}
