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
        let tags = Tag.all(of: html)
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
        return Tag.unescaped(String(html[mark.upperBound..<end]))
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

/// A tag of a page.
private struct Tag {
    /// In lower case; with a slash if it ends an element.
    let name: String
    let attributes: [String: String]

    /// The tags of a page, in their order.
    static func all(of html: String) -> [Tag] {
        html.matches(of: /<([^\s>]*)((?:="[^"]*"|='[^']*'|[^>])*)/).map { tag in
            let attributes = tag.2.matches(of: /([^\s=\/]+)(?:=("[^"]*"|'[^']*'|\S*))?/).map { attribute in
                let value = attribute.2 ?? ""
                let isQuoted = value.first == "\"" || value.first == "'"
                return (attribute.1.lowercased(), unescaped(String(isQuoted ? value.dropFirst().dropLast() : value)))
            }
            return Tag(name: tag.1.lowercased(), attributes: Dictionary(attributes) { $1 })
        }
    }

    static func unescaped(_ text: String) -> String {
        guard text.contains("&") else { return text }
        return [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&#x27;", "'"), ("&amp;", "&")].reduce(text) {
            $0.replacing($1.0, with: $1.1)
        }
    }
}
