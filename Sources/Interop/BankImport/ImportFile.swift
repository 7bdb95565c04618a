/// A file that an import reads or writes: its path inside the folder, and its bytes.
package struct ImportFile: Sendable, Hashable {
    package var path: String
    package var bytes: [UInt8]

    package init(_ path: String, _ bytes: [UInt8]) {
        self.path = path
        self.bytes = bytes
    }

    package init(_ path: String, _ text: String) { self.init(path, Array(text.utf8)) }
}

/// The result of an import.
package struct Imported: Sendable {
    /// To be written, by their paths inside the folder for the result.
    package var files: [ImportFile]
    /// The locations that could not be converted exactly, in the order of the files read.
    package var warnings: [ImportWarning]
    /// How many mappings or interactions were read, and how many of them the bank answers.
    package var sources: (read: Int, taken: Int) = (0, 0)
    /// How many operations the bank has.
    package var operations = 0
    /// How many rules the plan has.
    package var rules = 0
    /// What was decided for each role, and why.
    package var choices: [RoleChoice] = []
    /// How a request presents a customer's fixed credential; nil if the bank has none.
    package var signIn: String?
}
