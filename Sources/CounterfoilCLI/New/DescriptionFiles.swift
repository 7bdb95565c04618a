import BankFiles
import BankModel
import Platform

/// Reads an API description, and the files beside it that it refers to: those of its folder and below, and no others.
struct DescriptionFiles {
    private let path: String

    init(_ path: String) { self.path = path }

    /// The description's own name in its folder.
    var name: String { path.split(separator: "/").last.map(String.init) ?? path }

    private var folder: String { String(path.dropLast(name.count)) }

    /// The description's root.
    func description() throws(ComplaintsError) -> Node {
        try DescriptionFiles.read(path) { () throws(UnreadFile) in try Disk.bytes(named: path, .data) }
    }

    /// The root of a file by its path in the folder; nil if it is none that can be read, or a link leads it out of the folder.
    func neighbour(_ relative: String) -> Node? {
        let folder = folder.isEmpty ? "./" : folder
        return try? DescriptionFiles.read(folder + relative) { () throws(UnreadFile) in
            try FileReader.disk.read(folder + relative, below: folder, .data)
        }
    }

    /// Reads a file of YAML or JSON.
    private static func read(_ path: String, _ contents: () throws(UnreadFile) -> [UInt8]) throws(ComplaintsError) -> Node {
        let text: String
        do throws(UnreadFile) { text = try String(ofFile: contents()) } catch {
            throw ComplaintsError([Complaint(error, file: path, expected: "an OpenAPI description")])
        }
        guard text.first(where: { !$0.isWhitespace }) == "{" else {
            return try Complaints.collecting { Node.parse(yaml: text, file: path, $0) }
        }
        let json: JSON
        do throws(JSONError) { json = try JSON(parsing: text) } catch {
            let position = SourcePosition(file: path, line: error.line, column: error.column)
            throw ComplaintsError([Complaint("found \(error.found), expected \(error.expected)", at: position)])
        }
        // As YAML, which JSON nearly always is, its nodes have lines.
        return Node.parse(yaml: text, file: path, Complaints()) ?? Node(json, at: SourcePosition(file: path))
    }
}
