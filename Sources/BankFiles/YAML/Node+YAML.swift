package import BankModel
import Yams

extension BankModel.Node {
    /// The node of a YAML text: one document, no anchors or tags.
    ///
    /// - Parameter file: the name to put into places.
    /// - Returns: nil, with a complaint that has line and column, if the text is no YAML.
    package static func parse(yaml text: String, file: String, _ complaints: Complaints) -> BankModel.Node? {
        do {
            // Without a resolver: what a scalar means is our schemas' to say, and the usual one runs seven regular expressions a scalar.
            guard let root = try Yams.Parser(yaml: text, resolver: .basic).singleRoot() else {
                complaints.add(found: "an empty file", expected: "a mapping", at: Place(file: file, line: 1, column: 1))
                return nil
            }
            return BankModel.Node(root, file: file)
        } catch let error as YamlError {
            complaints.add(error.complaint(file: file))
        } catch {
            complaints.add("\(error)", at: Place(file: file, line: 1, column: 1))
        }
        return nil
    }

    private init(_ node: Yams.Node, file: String) {
        let place = Place(file: file, line: node.mark?.line, column: node.mark?.column)
        switch node {
        case .scalar(let scalar):
            self.init(.scalar(scalar.string, quoted: scalar.style != .plain && scalar.style != .any), at: place)
        case .sequence(let sequence):
            self.init(.list(sequence.map { BankModel.Node($0, file: file) }), at: place)
        case .mapping(let mapping):
            self.init(
                .mapping(mapping.map { (key: BankModel.Node($0.key, file: file), value: BankModel.Node($0.value, file: file)) }), at: place)
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
                ? "found something else, expected \(problem.dropFirst(unmet.count))" : "found \(problem), expected YAML"
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
