package import BankModel
package import Contracts
package import Faults

/// The plans in files: `outages` in the folder of the banks, one plan a file `<name>.yaml`, and those that came with the program.
package struct PlanLibrary: Sendable {
    private let layers: FileLayers

    /// - Parameters:
    ///   - stubs: the folder of the banks.
    ///   - shipped: the folder of banks that came with the program; its plans are found too unless `stubs` has one of that name.
    package init(stubs: String, shipped: String? = nil, files: FileReader = .disk) {
        layers = FileLayers(own: stubs, shipped: shipped, files: files)
    }

    /// The names of all plans, sorted.
    package var names: [String] { layers.names(in: PlanLibrary.subfolder, ending: PlanLibrary.suffix) }

    /// Reads one plan.
    ///
    /// - Parameter name: a plan in the folder; or a path of any file that ends in `.yaml`.
    /// - Throws: every error of the file at once; for an unknown name the known ones, with the nearest of them.
    package func load(_ name: String) throws(ComplaintsError) -> Plan {
        let complaints = Complaints()
        let plan = plan(name, complaints)
        guard let plan, complaints.errors.isEmpty else { throw ComplaintsError(complaints.errors.inOrder) }
        return plan
    }

    /// Reads all of them.
    ///
    /// - Returns: the valid ones.
    package func check(_ complaints: Complaints) -> [Plan] {
        names.compactMap { name in
            do throws(ComplaintsError) {
                return try load(name)
            } catch {
                error.complaints.forEach(complaints.add)
                return nil
            }
        }
    }

    private func plan(_ name: String, _ complaints: Complaints) -> Plan? {
        let isPath = name.hasSuffix(PlanLibrary.suffix)
        guard isPath || names.contains(name) else {
            let known = names
            let expected = known.isEmpty ? "a file \(name).yaml, or a path that ends in .yaml" : expectation(known, for: name)
            complaints.add(
                found: "the outage `\(name)`", expected: expected, at: SourcePosition(file: "\(layers.own)/\(PlanLibrary.subfolder)"))
            return nil
        }
        let path = isPath ? name : layers.path(of: name + PlanLibrary.suffix, in: PlanLibrary.subfolder)
        let folder = isPath ? nil : layers.folder(of: path)
        guard let node = layers.files.yaml(path, below: folder, what: "a plan in YAML", complaints) else { return nil }
        let file = path.split(separator: "/").last ?? ""
        return Plan(node, name: String(file.dropLast(PlanLibrary.suffix.count)), complaints)
    }

    private static let subfolder = "outages"
    private static let suffix = ".yaml"
}

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
