import BankModel

/// The dialect of imported banks: no headers, and a plain 404 for what no mapping answers.
enum CannedDialect {
    static let name = "canned"

    /// `dialects/canned.yaml`
    static var file: ImportFile {
        let about = "Canned responses from mappings. The bodies of error responses are placeholders."
        let responses = DialectResponseName.allCases.map { name in
            (
                name.rawValue,
                [
                    "status": .int(name.usualStatus), "invented": true,
                    "body": ["code": .string(name.rawValue), "message": ["detail": .string(words(name))]],
                ] as JSON
            )
        }
        let dialect = JSONObject([
            ("dialect", .string(CannedDialect.name)), ("about", .string(about)), ("content_type", "application/json"),
            ("replies", .object(JSONObject(responses.map { (key: $0.0, value: $0.1) }))),
        ])
        return ImportFile(
            "dialects/\(CannedDialect.name).yaml",
            YAMLText.document(.object(dialect), schema: YAMLText.dialectSchema, comment: "Written by counterfoil import."))
    }

    private static func words(_ name: DialectResponseName) -> String {
        name == .notFound ? "No mapping matches this request." : "\(name.rawValue.replacing("-", with: " "))."
    }
}
