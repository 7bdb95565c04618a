import BankModel

/// Writes rules as an outage that begins at once and lasts.
enum PlanText {
    /// The file of a plan.
    static func file(_ path: String, about: String, rules: [JSON]) -> ImportFile {
        let plan: JSON = ["about": .string(about), "entries": [["at": "0s", "rules": .array(rules)]]]
        return ImportFile(path, YAMLText.document(plan, comment: "Written by counterfoil import."))
    }
}
