package import BankModel

/// A client with one mistake on purpose, as its program lists it.
package struct MutantRecord: Sendable, Hashable {
    package var name: String
    /// The mistake, in one sentence.
    package var mistake: String
    /// The ids of the cases that must fail it, each of them, on any bank or on the one that is named: `data.exact-amounts@bins`. An
    /// invariant stands with the case in which it must be seen to be broken: `invariant.bounded in retry.bounded`.
    package var killedBy: [String]
    /// The id of a case that it must pass: it works apart from its mistake.
    package var control: String

    /// Reads one line of the list: `{"name","mistake","killed_by":[…],"control"}`.
    package init?(_ line: JSON, at position: SourcePosition, _ complaints: Complaints) {
        let fields = Fields(Node(line, at: position), of: "a mutant", complaints)
        let name = fields.required("name")?.text(complaints)
        let mistake = fields.required("mistake")?.text(complaints)
        let killedBy = fields.required("killed_by")?.texts(complaints)
        let control = fields.required("control")?.text(complaints)
        fields.finish()
        guard let name, let mistake, let killedBy, let control else { return nil }
        if killedBy.isEmpty {
            complaints.add(found: "the mutant \(name) without a case that kills it", expected: "ids in killed_by", at: position)
        }
        if killedBy.contains(control) {
            complaints.add(found: "\(control) as control of \(name)", expected: "a case that is not in killed_by", at: position)
        }
        self.name = name
        self.mistake = mistake
        self.killedBy = killedBy
        self.control = control
    }

    /// The case of a name in ``killedBy``: of an invariant, the one in which it must be seen to be broken.
    package static func caseID(of name: String) -> String {
        let named = name.split(separator: " in ", maxSplits: 1).last ?? Substring(name)
        return String(named.prefix { $0 != "@" })
    }
}

extension Complaints {
    /// Complains of mutants of one name, and of cases and invariants that there are not.
    package func check(_ mutants: [MutantRecord], against suites: [Suite], _ invariants: [Invariant] = [], at position: SourcePosition) {
        let cases = suites.flatMap(\.cases).map(\.id)
        let known = invariants.map(\.id)
        for (number, mutant) in mutants.enumerated() {
            if mutants[..<number].contains(where: { $0.name == mutant.name }) {
                add(found: "two mutants \(mutant.name)", expected: "names that differ", at: position)
            }
            for name in mutant.killedBy where name.hasPrefix(Invariant.prefix) {
                let id = String(name.split(separator: " ").first ?? "")
                if known.contains(id), name.contains(" in ") { continue }
                add(
                    found: "\(name), named by the mutant \(mutant.name)",
                    expected: "an invariant and the case that must break it, such as "
                        + "`\(known.first ?? Invariant.prefix + "bounded") in \(cases.first ?? "pay.once")`", at: position)
            }
            for id in (mutant.killedBy + [mutant.control]).map(MutantRecord.caseID) where !cases.contains(id) {
                let hint = didYouMean(id, among: cases)
                add(found: "the case \(id), named by the mutant \(mutant.name)", expected: "a case of the contracts\(hint)", at: position)
            }
        }
    }
}
