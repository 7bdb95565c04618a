import BankModel

extension StepAction {
    /// A time in which access to the client's files fails, as with a full disk or a locked device.
    package struct DiskFailure: Sendable, Hashable {
        package var what: What
        /// How long it lasts, in real time; nil: until a step ends it, or the case ends.
        package var lasts: Duration?

        /// The access that fails.
        package enum What: String, Sendable, CaseIterable {
            /// A file can be seen, replaced and removed, and not read: a secure store while the device is locked.
            case read
            /// Nothing can be written to a file: a disk that is full, or has become read-only.
            case write
            /// The files can be used again.
            case nothing
        }

        package init(_ what: What, for lasts: Duration? = nil) {
            self.what = what
            self.lasts = lasts
        }
    }
}

extension StepAction.DiskFailure: CustomStringConvertible {
    /// `write for 300ms`
    package var description: String { what.rawValue + (lasts.map { " for \($0.shortText)" } ?? "") }

    var words: String {
        let time = lasts.map { " for \($0.shortText)" } ?? ""
        return switch what {
        case .read: "the client's files cannot be read\(time)"
        case .write: "the client's files cannot be written\(time)"
        case .nothing: "the client's files can be read and written again"
        }
    }
}

/// The step `disk`.
extension StepReader {
    static let diskSchema = Schema.anyOf([.words([damage]), .object(diskFailureSchema)])
    private static let damage = "damage"

    private static let diskFailureSchema = ObjectSchema(
        "`disk`", named: "disk-refusal", "Makes reads or writes of the client's files fail for a time, or until another step.",
        fields: [refuses, lasts], example: "- disk: {refuses: write}")
    private static let refuses = Field(
        required: "refuses", .choice(of: StepAction.DiskFailure.What.self),
        "`read`: files cannot be read, as a secure store on a locked device; `write`: nothing can be written, as on a full disk; "
            + "`nothing`: both work again")
    private static let lasts = Field("for", .duration, "the time for which they fail, in real time; by default until `{refuses: nothing}`")

    /// Reads `damage`, or `{refuses: write, for: 300ms}`.
    func disk(_ node: Node) -> StepAction? {
        guard case .mapping = node.content else {
            guard underWay == nil else {
                complaints.add(
                    found: "`disk: \(node.scalar ?? node.kindName)` in a `together`",
                    expected: "`disk: {refuses: …}` there, or a separate step",
                    at: node.position)
                return nil
            }
            return node.choice(among: [StepReader.damage], complaints).map { _ in .damageDisk }
        }
        let fields = Fields(node, of: StepReader.diskFailureSchema, complaints)
        let what = fields[StepReader.refuses]
        let lasts = fields[StepReader.lasts]
        fields.finish()
        guard let what else { return nil }
        if what == .nothing, lasts != nil {
            complaints.add(found: "`for` beside `refuses: nothing`", expected: "`for` beside read or write", at: node.position)
        }
        return .disk(StepAction.DiskFailure(what, for: lasts))
    }
}
