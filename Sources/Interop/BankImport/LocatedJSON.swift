import BankModel

/// A piece of a file's JSON, and where it stands.
struct LocatedJSON {
    let json: JSON
    let file: String
    /// The mapping or proxy it belongs to, in a user's words.
    var item = ""
    /// Such as `$.request.url`, or a JSON Pointer (RFC 6901) such as `/request/url`; the root's decides which: `$` or nothing.
    let path: String

    /// The member of that name; nil if there is none, or null.
    subscript(_ key: String) -> LocatedJSON? {
        guard let value = json[key], value != .null else { return nil }
        return member(key, value)
    }

    /// The same piece of an item with that name.
    func named(_ item: String) -> LocatedJSON { LocatedJSON(json: json, file: file, item: item, path: path) }

    /// Another value in the same place.
    func holding(_ json: JSON) -> LocatedJSON { LocatedJSON(json: json, file: file, item: item, path: path) }

    /// All members in order; none if this is not an object.
    var members: [(key: String, value: LocatedJSON)] { json.object?.members.map { ($0.key, member($0.key, $0.value)) } ?? [] }

    /// All elements; none if this is not an array.
    var elements: [LocatedJSON] {
        json.array?.enumerated().map {
            LocatedJSON(json: $1, file: file, item: item, path: isPointer ? "\(path)/\($0)" : "\(path)[\($0)]")
        } ?? []
    }

    private var isPointer: Bool { !path.hasPrefix("$") }

    /// The member of that name, null too.
    func member(_ key: String) -> LocatedJSON { member(key, json[key] ?? .null) }

    private func member(_ key: String, _ value: JSON) -> LocatedJSON {
        LocatedJSON(json: value, file: file, item: item, path: isPointer ? "\(path)/\(key.pointerStep)" : path.jsonPath(of: key))
    }
}
