package import BankModel
import Yams

extension BankModel.Node {
    /// The node of a YAML text with one document. An alias is replaced by a copy of its anchor's node; tags are ignored.
    ///
    /// - Parameter file: the file's name in places.
    /// - Returns: nil, with a complaint that has line and column, if the text is not YAML, or if its nested aliases expand to
    ///   more than a machine can hold.
    package static func parse(yaml text: String, file: String, _ complaints: Complaints) -> BankModel.Node? {
        do {
            // Without a resolver: the schemas determine a scalar's type, and the usual resolver runs seven regular
            // expressions per scalar.
            guard let root = try Yams.Parser(yaml: text, resolver: .basic).singleRoot() else {
                complaints.add(found: "an empty file", expected: "a mapping", at: Place(file: file, line: 1, column: 1))
                return nil
            }
            // Each written node has at least one byte; aliases may expand to several times as much.
            var budget = 16 * text.utf8.count + 10_000
            if let node = BankModel.Node(root, file: file, &budget) { return node }
            complaints.add(
                found: "aliases that repeat each other into millions of values", expected: "values that are written out",
                at: Place(file: file, line: 1, column: 1))
        } catch let error as YamlError {
            complaints.add(error.complaint(file: file))
        } catch {
            complaints.add("\(error)", at: Place(file: file, line: 1, column: 1))
        }
        return nil
    }

    /// - Parameter budget: the number of nodes that may still be created.
    /// - Returns: nil when it is used up.
    private init?(_ node: Yams.Node, file: String, _ budget: inout Int) {
        guard budget > 0 else { return nil }
        budget -= 1
        let place = Place(file: file, line: node.mark?.line, column: node.mark?.column)
        switch node {
        case .scalar(let scalar):
            self.init(.scalar(scalar.string, quoted: scalar.style != .plain && scalar.style != .any), at: place)
        case .sequence(let sequence):
            var list: [BankModel.Node] = []
            for element in sequence {
                guard let node = BankModel.Node(element, file: file, &budget) else { return nil }
                list.append(node)
            }
            self.init(.list(list), at: place)
        case .mapping(let mapping):
            var members: [(key: BankModel.Node, value: BankModel.Node)] = []
            for member in mapping {
                guard let key = BankModel.Node(member.key, file: file, &budget),
                    let value = BankModel.Node(member.value, file: file, &budget)
                else { return nil }
                members.append((key, value))
            }
            self.init(.mapping(members), at: place)
        case .alias:
            self.init(.scalar("", quoted: false), at: place)
        }
    }
}

extension YamlError {
    fileprivate func complaint(file: String) -> Complaint {
        switch self {
        case .scanner(let context, let problem, let mark, _), .parser(let context, let problem, let mark, _),
            .composer(let context, let problem, let mark, _):
            let hint = context.map { " (\($0.text))" } ?? ""
            let unmet = "did not find expected "
            let message =
                problem.hasPrefix(unmet)
                ? "found something else, expected \(problem.dropFirst(unmet.count))"
                : "found \(problem.trimmingPrefix("but ").trimmingPrefix("found ")), expected YAML"
            return Complaint(message + hint, at: Place(file: file, line: mark.line, column: mark.column))
        case .duplicatedKeysInMapping(let duplicates, let context):
            let names = duplicates.map { "`\($0)`" }
            return Complaint(
                "found the key \(oneOf(names)) twice in one mapping, expected each once",
                at: Place(file: file, line: context.mark.line, column: context.mark.column))
        default:
            return Complaint("\(self)", at: Place(file: file, line: 1, column: 1))
        }
    }
}
