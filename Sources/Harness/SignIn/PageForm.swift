/// The form of a sign-in page, as far as a browser without script needs it.
struct PageForm: Sendable, Hashable {
    /// As written in the page; empty for the page's own address.
    var action: String
    var isPost: Bool
    var fields: [Field]
    /// The page's error message; nil without one.
    var alert: String?

    /// A field or a button.
    struct Field: Sendable, Hashable {
        var name: String
        var type: String
        var value: String
    }

    /// The first form of the page; nil if it has none.
    init?(html: String) {
        let tags = Tags(html).all
        guard let start = tags.firstIndex(where: { $0.name == "form" }) else { return nil }
        let form = tags[start]
        action = form.attributes["action"] ?? ""
        isPost = form.attributes["method"]?.lowercased() == "post"
        fields = tags[start...].prefix { $0.name != "/form" }.filter { ["input", "button"].contains($0.name) }.compactMap { tag in
            tag.attributes["name"].map { name in
                Field(
                    name: name, type: tag.attributes["type"]?.lowercased() ?? (tag.name == "button" ? "submit" : "text"),
                    value: tag.attributes["value"] ?? "")
            }
        }
        alert = PageForm.alert(in: html)
    }

    /// The text of the element that the page marks as an alert.
    static func alert(in html: String) -> String? {
        guard let mark = html.firstRange(of: "role=\"alert\">"), let end = html[mark.upperBound...].firstIndex(of: "<") else { return nil }
        return Tags.unescaped(String(html[mark.upperBound..<end]))
    }

    /// The form as it is sent.
    ///
    /// - Parameter decision: the value of the pressed button.
    func filled(user: String, password: String, decision: String) -> [(name: String, value: String)] {
        fields.compactMap { field in
            if field.type == "submit" { return field.value == decision ? (field.name, field.value) : nil }
            switch field.name {
            case "username": return (field.name, user)
            case "password": return (field.name, password)
            default: return (field.name, field.value)
            }
        }
    }
}

/// The tags of a page, in their order.
private struct Tags {
    struct Tag {
        /// In lower case; with a slash if it ends an element.
        var name: String
        var attributes: [String: String]
    }

    var all: [Tag] = []

    init(_ html: String) {
        var rest = Substring(html)
        while let open = rest.firstIndex(of: "<") {
            rest = rest[rest.index(after: open)...]
            let name = rest.prefix { !$0.isWhitespace && $0 != ">" }
            rest = rest[name.endIndex...]
            all.append(Tag(name: name.lowercased(), attributes: Tags.attributes(&rest)))
        }
    }

    /// The attributes up to the end of the tag.
    private static func attributes(_ rest: inout Substring) -> [String: String] {
        var found: [String: String] = [:]
        while true {
            rest = rest.drop { $0.isWhitespace || $0 == "/" }
            guard let first = rest.first, first != ">" else { break }
            let name = rest.prefix { !$0.isWhitespace && $0 != "=" && $0 != ">" }
            rest = rest[name.endIndex...]
            var value = Substring()
            if rest.first == "=" {
                rest = rest.dropFirst()
                let quote = rest.first.flatMap { "\"'".contains($0) ? $0 : nil }
                if let quote {
                    value = rest.dropFirst().prefix { $0 != quote }
                    rest = rest[value.endIndex...].dropFirst()
                } else {
                    value = rest.prefix { !$0.isWhitespace && $0 != ">" }
                    rest = rest[value.endIndex...]
                }
            } else if name.isEmpty {
                rest = rest.dropFirst()
            }
            found[name.lowercased()] = unescaped(String(value))
        }
        rest = rest.dropFirst()
        return found
    }

    static func unescaped(_ text: String) -> String {
        guard text.contains("&") else { return text }
        return [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&#x27;", "'"), ("&amp;", "&")].reduce(text) {
            $0.replacing($1.0, with: $1.1)
        }
    }
}
