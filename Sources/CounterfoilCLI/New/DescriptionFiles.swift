import BankFiles
import BankModel
import Foundation

/// Reads an API description, and the files beside it that it refers to: those of its folder and below, and no others.
struct DescriptionFiles {
    private let path: String

    init(_ path: String) { self.path = path }

    /// The description's own name in its folder.
    var name: String { path.split(separator: "/").last.map(String.init) ?? path }

    private var folder: String { String(path.dropLast(name.count)) }

    /// The description's root.
    func description() throws(ComplaintsError) -> Node { try DescriptionFiles.read(path, as: path) }

    /// The root of a file by its path in the folder; nil if it is none that can be read, or a link leads it out of the folder.
    func neighbour(_ relative: String) -> Node? {
        let folder = folder.isEmpty ? "./" : folder
        guard let root = realpath(folder, nil), let found = realpath(folder + relative, nil) else { return nil }
        defer {
            free(root)
            free(found)
        }
        let inside = String(cString: root)
        let there = String(cString: found)
        guard there.hasPrefix(inside == "/" ? inside : inside + "/") else { return nil }
        return try? DescriptionFiles.read(there, as: folder + relative)
    }

    /// Reads a file of YAML or JSON.
    ///
    /// - Parameter path: the file's name in messages.
    private static func read(_ file: String, as path: String) throws(ComplaintsError) -> Node {
        guard let bytes = FileReader.disk.read(file), let text = String(validating: bytes, as: UTF8.self) else {
            throw ComplaintsError([
                Complaint("found no readable UTF-8 file, expected an OpenAPI description", at: Place(file: path))
            ])
        }
        guard text.first(where: { !$0.isWhitespace }) == "{" else {
            return try Complaints.collecting { Node.parse(yaml: text, file: path, $0) }
        }
        let json: JSON
        do throws(JSONError) { json = try JSON(parsing: bytes) } catch {
            let place = Place(file: path, line: error.line, column: error.column)
            throw ComplaintsError([Complaint("found \(error.found), expected \(error.expected)", at: place)])
        }
        // As YAML, which JSON nearly always is, its nodes have lines.
        return Node.parse(yaml: text, file: path, Complaints()) ?? Node(json, at: Place(file: path))
    }
}
