package import BankModel

/// Learns a bank from recorded exchanges: pure, from values to files.
///
/// Lists whose rows have a key become tables, sign-ins become operations that grant tokens, and every other response is sent byte for
/// byte. Secrets are removed and personal data is replaced before anything is learned; the files that result are searched for both.
package struct TrafficImport: Sendable {
    /// What the caller decides.
    package struct Options: Sendable {
        /// The bank's name.
        package var name: String
        /// The host whose exchanges are learned, such as `api.bank.example` or `127.0.0.1:8080`; nil for the one with most exchanges.
        package var host: String?
        /// Decides the replacements of personal data: the same seed and exchanges give the same files.
        package var seed: UInt64
        /// Names of JSON members and of fields whose values are kept as they are. Secrets are never kept.
        package var keep: Set<String> = []
        package var amounts = Amounts.kept

        package init(name: String, seed: UInt64) {
            self.name = name
            self.seed = seed
        }
    }

    /// What becomes of amounts of money.
    package enum Amounts: String, Sendable, CaseIterable {
        case kept = "keep"
        /// Each amount changes by up to a tenth, with the same number of digits.
        case jitter
    }

    /// The result: files for a folder of banks, and what was replaced in them.
    package struct Learned: Sendable {
        /// To be written with the rest of an import's result; the plan is there if responses were slow.
        package var imported: Imported
        /// The members whose values were removed or replaced, with the number of occurrences, never with the values.
        package var replaced: [(member: String, count: Int)]
    }

    package var options: Options

    package init(_ options: Options) { self.options = options }

    /// The bank's folder, its dialect and its plan.
    ///
    /// - Parameters:
    ///   - exchanges: in any order; they are sorted by their start.
    ///   - warnings: what could not be read of the source, to be listed first.
    /// - Throws: ``ComplaintsError`` if no exchange can be learned, or if a secret or an original of replaced data is in the result.
    package func convert(_ exchanges: [RecordedExchange], warnings: [ImportWarning] = []) throws(ComplaintsError) -> Learned {
        throw ComplaintsError([
            Complaint("found \(counted(exchanges.count, "exchange")), none can be learned", at: SourcePosition(file: options.name))
        ])
    }
}
