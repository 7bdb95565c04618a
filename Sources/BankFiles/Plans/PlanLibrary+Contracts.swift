package import Contracts
package import BankModel
package import Faults

extension PlanLibrary {
    /// The plans that cases name, by their names.
    ///
    /// - Throws: for an unknown name, its position in the contract; for an invalid plan, its errors.
    package func plans(of instances: [Instance]) throws(ComplaintsError) -> [String: Plan] {
        var plans: [String: Plan] = [:]
        var complaints: [Complaint] = []
        for wanted in instances.flatMap(\.plans) where plans[wanted.name] == nil {
            guard names.contains(wanted.name) else {
                let hint = didYouMean(wanted.name, among: names)
                let complaint = Complaint("found the outage `\(wanted.name)`, expected \(oneOf(names))\(hint)", at: wanted.position)
                if !complaints.contains(complaint) { complaints.append(complaint) }
                continue
            }
            do throws(ComplaintsError) { plans[wanted.name] = try load(wanted.name) } catch { complaints += error.complaints }
        }
        guard complaints.isEmpty else { throw ComplaintsError(complaints) }
        return plans
    }
}
