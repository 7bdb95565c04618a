package import BankModel

/// A file that an import reads or writes: its path inside the folder, and its bytes.
package struct ImportFile: Sendable, Hashable {
    package var path: String
    package var bytes: [UInt8]

    package init(_ path: String, _ bytes: [UInt8]) {
        self.path = path
        self.bytes = bytes
    }

    package init(_ path: String, _ text: String) { self.init(path, Array(text.utf8)) }

    /// The path below a root of what is named relative to a folder there, without `.` and `..`; nil if it is outside the root.
    static func path(_ relative: String, from folder: ArraySlice<Substring> = []) -> String? {
        var steps = folder
        for step in relative.split(separator: "/") where step != "." {
            if step != ".." { steps.append(step) } else if steps.popLast() == nil { return nil }
        }
        return steps.joined(separator: "/")
    }
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
    /// Who can sign in to the bank, and how, for people; nil for a bank without tokens.
    package var signIn: String?

    /// Who can sign in with a name and a password.
    ///
    /// - Parameters:
    ///   - call: the request that signs in; nil if the bank has none.
    ///   - customers: in the order of the bank.
    static func signIn(to bank: String, by call: String?, _ customers: [(login: String, password: String)]) -> String {
        let shown = customers.prefix(5).map { call == nil ? $0.login : "\($0.login) (password \($0.password))" }
        let rest = customers.count - shown.count
        let names = shown.joined(separator: ", ") + (rest > 0 ? " and \(rest) more in bank.yaml" : "")
        return call.map { "\($0) signs in \(names)" }
            ?? "no operation signs in; `counterfoil tokens issue --login LOGIN --session \(bank)` issues a token of \(names)"
    }
}

/// Something in a file of another tool that our files cannot express, or not exactly.
package struct ImportWarning: Sendable, Hashable, CustomStringConvertible {
    package var file: String
    /// The mapping's or proxy's name or id, or its number in the file.
    package var item: String
    /// The path in the file's JSON, such as `$.mappings[2].request.urlPattern`.
    package var path: String
    /// The JSON at that location.
    package var found: String
    package var reason: String
    package var effect: Effect

    /// The effect on the result.
    package enum Effect: String, Sendable, CaseIterable {
        /// The whole mapping is not in the bank.
        case leftOut = "left-out"
        /// All but this is imported.
        case ignored
        /// More requests are met than the original meets.
        case wider
        /// Fewer requests are met than the original meets.
        case narrower
        /// It is approximated.
        case approximate

        /// In a user's words.
        package var words: String {
            switch self {
            case .leftOut: "skipped"
            case .ignored: "ignored"
            case .wider: "matches more than the original"
            case .narrower: "matches less than the original"
            case .approximate: "approximated"
            }
        }
    }

    package var description: String { "\(whereAndWhat); \(reason) (\(effect.words))" }

    /// Its location and its JSON, cut if it is long.
    package var whereAndWhat: String {
        "\([file, item, path].filter { !$0.isEmpty }.joined(separator: ": ")): found \(found.utf8.count > 120 ? "\(found.prefix(120))…" : found)"
    }

    package var json: JSON {
        [
            "file": .string(file), "item": .string(item), "path": .string(path), "found": .string(found), "reason": .string(reason),
            "effect": .string(effect.rawValue),
        ]
    }
}
