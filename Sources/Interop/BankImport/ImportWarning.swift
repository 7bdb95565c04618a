package import BankModel

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

extension ImportWarning.Effect {
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
