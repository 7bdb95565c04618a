package import BankModel
package import Contracts
package import DriverProtocol

/// One bank tried out: a sign-in and reads without any fault, in separate sessions.
package struct TryOut: Sendable {
    package var bank: String
    /// In the order in which they were asked for; the sign-in once.
    package var steps: [Step] = []
    /// Why the client could not be asked further: the driver's mistake, or the client's end.
    package var trouble: String?
    /// The last of what the driver wrote to stderr, if it did not answer.
    package var stderr: String = ""

    /// One operation and its outcome.
    package struct Step: Sendable {
        package var operation: DriverOperation
        package var outcome: StepOutcome
        /// The bank's own view; nil if the bank does not define it.
        package var expected: JSON?
        /// Whether the bank states a currency: see ``ViewDifference``.
        package var hasCurrency = true

        /// The differences from the expected view.
        package var differences: [ViewDifference] {
            guard case .ok(let view) = outcome, let expected else { return [] }
            return ViewDifference.all(
                expected: expected, seen: view, optional: ViewDifference.optional(in: operation), hasCurrency: hasCurrency)
        }

        /// Whether the client answered with a view, or cannot do it at all: all else keeps a client from being judged.
        var isAnswered: Bool {
            switch outcome {
            case .ok, .unsupported, .skipped, .done: true
            case .error, .silent, .hung, .crashed, .killed: false
            }
        }

        var isAsExpected: Bool { isAnswered && differences.isEmpty }
    }

    /// Whether the bank can be judged.
    var isPassable: Bool { trouble == nil && steps.allSatisfy(\.isAnswered) }

    package var isAsExpected: Bool { trouble == nil && steps.allSatisfy(\.isAsExpected) }
}

/// A driver's hello, and the results of its client without faults, before the first case.
package struct TryOutReport: Sendable {
    package var hello: DriverHello?
    package var tries: [TryOut] = []
    /// Why the driver cannot be used.
    package var trouble: String?
    /// The number of selected instances.
    package var total: Int
    /// The instances that cannot be run with the client, by the reason.
    package var unsupported: [String: Int] = [:]

    /// Whether a case will run.
    private var runsCases: Bool { unsupported.values.reduce(0, +) < total }

    /// Whether the driver answers, every bank can be judged, and a case will run.
    package var isUsable: Bool { trouble == nil && tries.allSatisfy(\.isPassable) && runsCases }

    /// Whether each view is the expected one.
    package var isAsExpected: Bool { trouble == nil && tries.allSatisfy(\.isAsExpected) }
}

extension TryOutReport {
    /// Why a run makes no sense, for people; nil if it makes sense.
    var obstacle: String? {
        let failed = tries.filter { !$0.isPassable }
        guard !failed.isEmpty else { return nil }
        let well = tries.filter(\.isPassable).map(\.bank)
        var lines = ["the try-out (a sign-in and a read on each bank, without faults) failed; no case was run"]
        lines += failed.flatMap(\.obstacleLines)
        if !well.isEmpty {
            lines.append("  select the banks that the client supports: " + well.map { "--bank \($0)" }.joined(separator: " "))
        }
        return (lines + ["  compare all displayed data with the expected results: --try"]).joined(separator: "\n")
    }

    /// For each bank, each view beside the expected one, in lines of at most 80 characters.
    package var tryText: String {
        var lines: [String] = []
        if let hello { lines.append("\(hello.client): displayed data and expected results") }
        for tried in tries { lines += ["", tried.bank] + tried.lines }
        if let trouble { lines += ["", "no verdict: \(trouble)"] }
        if trouble == nil, tries.isEmpty { lines += ["", "nothing was run: the client supports none of the cases (see `driver check`)"] }
        if trouble == nil, !tries.isEmpty {
            lines += ["", comparison]
        }
        return lines.map(\.inOneLine).joined(separator: "\n") + "\n"
    }

    /// The result of the comparison, in a sentence.
    private var comparison: String {
        guard isAsExpected else { return "some displayed data is not as expected" }
        let shown = tries.flatMap(\.steps).filter { step in
            guard step.operation != .login, case .ok = step.outcome else { return false }
            return true
        }
        let compared = shown.count { $0.expected != nil }
        if compared == shown.count { return "all displayed data is as expected" }
        return compared == 0
            ? "nothing was compared: the banks declare no expected views (expected.yaml)"
            : "all compared data is as expected; \(counted(shown.count - compared, "view")) had nothing to compare with"
    }

    /// The result of checking a driver, for people.
    package var checkText: String {
        let left = unsupported.values.reduce(0, +)
        var lines = trouble == nil || !unsupported.isEmpty ? ["\(total - left) of \(counted(total, "case instance")) will run", ""] : []
        if let hello { lines += hello.lines }
        for tried in tries {
            lines += ["", "\(tried.bank): a sign-in and a read, without faults"] + tried.lines
        }
        if !unsupported.isEmpty {
            lines += ["", "\(left) will not run, because they are unsupported:"]
            let width = unsupported.values.map { "\($0)".count }.max() ?? 0
            lines += unsupported.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { reason, count in
                String(repeating: " ", count: 2 + width - "\(count)".count) + "\(count)  \(reason)"
            }
        }
        if let operations = hello?.operations, operations.contains(DriverOperation.authorizeBegin.rawValue),
            !operations.contains(DriverOperation.login.rawValue)
        {
            lines += ["", "most cases sign in with `login`: a client without a form for a password can sign in on the bank's page there"]
        }
        if let trouble { lines += ["", "no verdict: \(trouble)"] }
        if trouble == nil {
            lines += ["", "the driver is " + (isUsable ? "usable" : runsCases ? "not usable" : "not usable: no case will run")]
        }
        if isUsable {
            lines.append("next: `counterfoil test --try` compares all displayed data, `counterfoil test` runs the cases")
        }
        return lines.drop(while: \.isEmpty).map(\.inOneLine).joined(separator: "\n") + "\n"
    }
}

extension TryOut {
    /// One line for each operation, and a table of what differs.
    fileprivate var lines: [String] {
        var lines = steps.flatMap(\.lines)
        if let trouble { lines += wrapped(trouble, indent: "  ") }
        if steps.isEmpty, trouble == nil { lines.append("  nothing to run: bank and client do not share both a sign-in and a read") }
        let tail = StderrEnd(stderr).lines
        if !tail.isEmpty { lines += ["  the end of the driver's stderr"] + tail.map { "    " + $0.fitted(76) } }
        return lines
    }

    fileprivate var obstacleLines: [String] {
        var lines = ["  \(bank)"]
        for step in steps where !step.isAnswered { lines += step.lines.map { "  " + $0 } }
        if let trouble { lines += wrapped(trouble, indent: "    ") }
        let tail = StderrEnd(stderr).lines
        if !tail.isEmpty { lines += ["    the end of the driver's stderr"] + tail.map { "      " + $0.fitted(74) } }
        return lines
    }
}

extension TryOut.Step {
    fileprivate var lines: [String] {
        let name = operation.rawValue.padded(to: 12)
        switch outcome {
        case .ok(let view):
            guard expected != nil else {
                return ["  \(name)  ok\(operation == .login ? "" : ", and the bank declares no expected view")"]
                    + (operation == .login ? [] : ["    shown     " + view.text.fitted(66)])
            }
            guard !differences.isEmpty else { return ["  \(name)  as expected" + rows(view)] }
            let table = differences.table
            let count = table.count == 1 ? "1 difference" : "\(table.count) differences"
            let head = ["  \(name)  \(count)", "    \("where".padded(to: 26))  \("expected".padded(to: 22))  shown"]
            let shown = table.prefix(20).map { position, expected, shown in
                "    \(position.fittedEnd(26).padded(to: 26))  \(expected.fitted(22).padded(to: 22))  \(shown.fitted(22))"
            }
            return head + shown + (table.count > 20 ? ["    … and \(table.count - 20) more"] : [])
        case .unsupported: return ["  \(name)  unsupported"]
        case .skipped, .done: return ["  \(name)  not needed"]
        default:
            let found = wrapped("\(operation.rawValue) ended with \(outcome)", indent: "  ")
            return found + (expected.map { ["    expected  " + $0.text.fitted(66)] } ?? ["    expected  ok"])
        }
    }

    private func rows(_ view: JSON) -> String {
        let count = view.object?.members.lazy.compactMap(\.value.array?.count).first
        return count.map { $0 == 1 ? ", 1 row" : ", \($0) rows" } ?? ""
    }
}

extension [ViewDifference] {
    /// A line for each difference in the table of a view. Missing and additional rows get a line each, after all others.
    fileprivate var table: [(position: String, expected: String, shown: String)] {
        var lines: [(position: String, expected: String, shown: String)] = []
        var rowLines = lines
        for difference in self {
            let path = difference.path
            switch difference.kind {
            case .missing(let expected): lines.append((path, expected.text, "nothing"))
            case .value(let expected, let seen): lines.append((path.isEmpty ? "the view" : path, expected.text, seen.text))
            case .rows(let expected, let seen):
                let missing = expected.enumerated().dropFirst(seen.count)
                rowLines += missing.map { index, row in ("\(path)[\(index)]", row.text, "nothing") }
                let more = seen.enumerated().dropFirst(expected.count)
                rowLines += more.map { index, row in ("\(path)[\(index)]", "nothing", row.text) }
            }
        }
        return lines + rowLines
    }
}

extension DriverHello {
    fileprivate var lines: [String] {
        let (allOperations, allFeatures) = (DriverOperation.allCases.map(\.rawValue), DriverFeature.allCases.map(\.rawValue))
        func list(_ names: [String]) -> String { names.isEmpty ? "none" : names.joined(separator: ", ") }
        var lines = ["\(client) supports version \(version) of the driver protocol"]
        lines += wrapped(banks.map { list($0).ofDriver } ?? "all (its hello names none)", indent: "  banks       ")
        lines += wrapped(list(operations.filter(allOperations.contains)), indent: "  operations  ")
        lines += wrapped(list(features.filter(allFeatures.contains)), indent: "  features    ")
        lines += unknown(operations, allOperations, "operation")
        lines += unknown(features, allFeatures, "feature")
        return lines + ["  an operation with a random name is answered with `unsupported`, as required"]
    }

    private func unknown(_ names: [String], _ all: [String], _ what: String) -> [String] {
        let unknown = names.filter { !all.contains($0) }
        let lines = unknown.prefix(20).map { name in
            "  ignored     the \(what) `\(name.prefix(40))`, which the protocol does not define"
                + didYouMean(name, among: all)
        }
        return lines + (unknown.count > 20 ? ["  ignored     \(counted(unknown.count - 20, "more \(what)"))"] : [])
    }
}

/// The text in lines of at most 80 characters; the first begins with the indent, the others with as many blanks.
private func wrapped(_ text: String, indent: String) -> [String] {
    let blanks = String(repeating: " ", count: indent.count)
    return text.split(separator: "\n").enumerated().flatMap { number, paragraph in
        wrapped(String(paragraph), to: 80, first: number == 0 ? indent : blanks, indent: blanks)
    }
}

extension String {
    /// The text in at most `width` characters, cut at the end.
    fileprivate func fitted(_ width: Int) -> String { count > width ? prefix(width - 1) + "…" : self }

    /// The text in at most `width` characters, cut at the beginning.
    fileprivate func fittedEnd(_ width: Int) -> String { count > width ? "…" + suffix(width - 1) : self }
}
