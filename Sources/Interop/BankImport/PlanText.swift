import BankModel

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
