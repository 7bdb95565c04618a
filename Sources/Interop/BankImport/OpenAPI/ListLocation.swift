import BankModel

/// A list of objects in the example of a response.
struct ListLocation {
    /// The members that lead to it; none for a response that is the list.
    var path: [String]
    var rows: [JSONObject]

    /// The members of its rows, in the order in which they first occur: not every row has each.
    var fields: [String] { distinct(rows.flatMap(\.keys)) }

    /// Deeper lists are parts of rows, not of the response.
    private static let deepest = 3

    /// Every list that is not empty, in the order of the example.
    static func all(in json: JSON, _ path: [String] = []) -> [ListLocation] {
        switch json {
        case .array(let elements):
            let rows = elements.compactMap(\.object)
            return !rows.isEmpty && rows.count == elements.count ? [ListLocation(path: path, rows: rows)] : []
        case .object(let object) where path.count < deepest:
            return object.members.flatMap { all(in: $0.value, path + [$0.key]) }
        default: return []
        }
    }

    /// Whether an object on the way to it would be read as a directive of a template.
    static func isHidden(by json: JSON, on path: [String]) -> Bool {
        guard let object = json.object, !path.isEmpty else { return false }
        if TemplateWords.isDirective(object) { return true }
        return path.first.flatMap { object[$0] }.map { isHidden(by: $0, on: Array(path.dropFirst())) } ?? false
    }
}

/// Words of a description, compared without case, signs and endings.
enum DescribedName {
    /// Letters and digits in small letters: `account_id`, `accountId` and `AccountId` are the same.
    static func plain(_ name: String) -> String { String(name.lowercased().filter { $0.isASCII && ($0.isLetter || $0.isNumber) }) }

    /// One of a list: `accounts`, `Account` and `account-list` are `account`.
    static func singular(_ name: String) -> String {
        var word = plain(name)
        for end in ["list", "data"] where word.hasSuffix(end) && word.count > end.count + 2 { word.removeLast(end.count) }
        if word.hasSuffix("ies") { return word.dropLast(3) + "y" }
        if word.hasSuffix("sses") { return String(word.dropLast(2)) }
        return word.hasSuffix("s") && !word.hasSuffix("ss") ? String(word.dropLast()) : word
    }

    /// The ends of names of ids.
    static let ids = ["id", "uid", "uuid", "guid", "identifier"]

    /// Whether the name is that of the id of such a thing: `accountUid` of `account`, or an id of nothing in particular.
    static func isID(_ name: String, of thing: String) -> Bool {
        let word = plain(name)
        if ids.contains(word) || word == "resourceid" { return true }
        guard let end = ids.filter(word.hasSuffix).max(by: { $0.count < $1.count }) else { return false }
        let owner = String(word.dropLast(end.count))
        return !owner.isEmpty
            && (owner == thing || thing.hasPrefix(owner) && owner.count >= 4 || thing.hasSuffix(owner) && owner.count >= 4)
    }
}
