package import BankModel

/// The keys by which a mapping in a template is a directive and no object: for the reader, and for importers, which write templates.
package enum TemplateDirectives {
    /// By directive, the keys that may stand beside it.
    static let modifiers: [String: Set<String>] = {
        var all: [String: Set<String>] = [:]
        for source in TemplateKeys.sources { all[source.key] = [TemplateKeys.fallback.key] }
        all[TemplateKeys.rowsTable.key] = Set(TemplateKeys.rows.keys)
        all[TemplateKeys.rowTable.key] = Set(TemplateKeys.row.keys)
        all[TemplateKeys.insertedTable.key] = Set(TemplateKeys.inserted.keys)
        all[TemplateKeys.fact.key] = Set(TemplateKeys.pageFact.keys)
        return all
    }()

    /// Each directive, wherever it is valid.
    package static let all = Set(modifiers.keys)

    /// Those that stay directives if their value is a directive, too: `{joined: …}` has a list, and `{path: {body: id}}` is an object.
    static let ofMappings: Set<String> = ["literal", "now", "random_text", "html_escaped", "consent", "side", "event"]

    /// Those that stay directives whatever stands beside the name of a table.
    static let queries: Set<String> = [TemplateKeys.rowsTable.key, TemplateKeys.rowTable.key]

    /// Whether an object would be read as a directive somewhere in a template, or as a file or a text if it were a whole response.
    package static func mayRead(_ object: JSONObject) -> Bool {
        let keys = Set(object.keys)
        return keys == [FileKeys.file.key] || isDirective(object)
            || [FileKeys.schema, FolderKeys.schema, TextKeys.schema].contains { keys == Set($0.keys) }
    }

    private static func isDirective(_ object: JSONObject) -> Bool {
        let keys = Set(object.keys)
        return object.members.contains { name, value in
            guard let beside = modifiers[name] else { return false }
            if let inner = value.object, !ofMappings.contains(name), isDirective(inner) { return false }
            return queries.contains(name) && value.string != nil || keys.subtracting([name]).isSubset(of: beside)
        }
    }
}
