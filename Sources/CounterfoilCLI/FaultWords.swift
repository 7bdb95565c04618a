import BankCore
import BankModel

extension JSON {
    /// A fault as a user reads it in a table: `status 503`, `lose-reply by close`, `delay for 2s after 1s`.
    ///
    /// Headers and bodies stay out: they are long, and `--json` shows them.
    var faultWords: String {
        guard let members = object?.members else { return foreignText }
        return members.map { name, settings in
            guard let settings = settings.object else { return "\(name) \(settings.words)" }
            return ([name] + settings.members.compactMap { FaultSetting($0.key, $0.value, of: name)?.words }).joined(separator: " ")
        }.joined(separator: " ")
    }

    /// Which exchanges a rule selects, as a user reads it: `role pay, attempt 1`.
    var selectorWords: String { object?.members.map { "\($0.key) \($0.value.words)" }.joined(separator: ", ") ?? foreignText }

    /// A value without quotes and brackets.
    fileprivate var words: String {
        switch self {
        case .string(let text): text.inOneLine
        case .array(let values): values.map(\.words).joined(separator: "|")
        case .object(let object): object.members.map { "\($0.key) \($0.value.words)" }.joined(separator: " ")
        default: text
        }
    }
}

private struct FaultSetting {
    private static let long: Set<String> = ["headers", "body"]
    let words: String

    /// Without the key where it is the fault's own name, or the name of one of several: `status 503`, `dialect maintenance`.
    init?(_ key: String, _ value: JSON, of kind: String) {
        if FaultSetting.long.contains(key) { return nil }
        words = key == kind || key == "name" ? value.words : "\(key) \(value.words)"
    }
}
