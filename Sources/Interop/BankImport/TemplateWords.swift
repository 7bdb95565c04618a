import BankFiles
import BankModel

/// How importers write the JSON of others into the templates of a bank, so that no object of it is read as a directive.
enum TemplateWords {
    /// Whether an object in a template would be read as a directive.
    static func isDirective(_ object: JSONObject) -> Bool { TemplateDirectives.mayRead(object) }

    /// Whether some object in the value would be.
    static func occur(in value: JSON) -> Bool { value.flattened.compactMap(\.object).contains(where: isDirective) }

    /// The value as a template that gives it.
    static func literal(_ value: JSON) -> JSON { occur(in: value) ? ["literal": value] : value }

    /// The value as a template that gives it, where it is none of a bank's rows: an array or object as a literal.
    static func constant(_ value: JSON) -> JSON { value.isContainer ? ["literal": value] : value }

    /// The templates of an object's members as a template of the object; the object as it is if that would be read as a directive.
    static func object(_ templates: JSONObject, of original: JSONObject) -> JSON {
        isDirective(templates) ? ["literal": .object(original)] : .object(templates)
    }
}
