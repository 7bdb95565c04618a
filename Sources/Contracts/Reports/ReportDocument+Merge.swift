package import BankModel

/// A report, and the file that it was read from.
package struct FiledReport: Sendable {
    package var file: String
    package var run: ReportDocument

    package init(_ file: String, _ run: ReportDocument) {
        self.file = file
        self.run = run
    }
}

extension ReportDocument {
    /// One run, of the reports of all its shards in any order. It began with the first shard and lasted as long as the longest. The error
    /// has all that does not fit: a shard that is missing or there twice, another seed, client, version, contracts or selection.
    package static func merged(_ files: [FiledReport]) throws(ComplaintsError) -> ReportDocument {
        let complaints = Complaints()
        let parts = files.compactMap { Part($0, complaints) }.sorted { $0.part.shard.number < $1.part.shard.number }
        guard let first = files.lazy.compactMap({ file in parts.first { $0.file == file.file } }).first else {
            if files.isEmpty { complaints.add(found: "no report", expected: "one of each shard", at: SourcePosition(file: "--merge")) }
            throw ComplaintsError(complaints.errors)
        }
        let known = parts.first { !$0.isClientUnknown } ?? first
        for part in parts { part.check(against: first, client: known, complaints) }
        checkNumbers(parts, of: first, complaints)
        if complaints.errors.isEmpty { checkResults(parts, complaints) }
        guard complaints.errors.isEmpty else { throw ComplaintsError(complaints.errors) }

        var whole = known.run
        whole.part = nil
        whole.duration = parts.map(\.run.duration).max() ?? 0
        let troubles = parts.compactMap { part in part.run.trouble.map { "shard \(part.part.shard): \($0)" } }
        whole.trouble = troubles.isEmpty ? nil : troubles.joined(separator: "; ")
        whole.origin.started = parts.compactMap(\.run.origin.started).min()
        let hosts = distinct(parts.compactMap(\.run.origin.host))
        whole.origin.host = hosts.isEmpty ? nil : hosts.joined(separator: ", ")
        let baselines = distinct(parts.compactMap(\.run.baseline))
        whole.baseline = baselines.isEmpty ? nil : baselines.joined(separator: ", ")
        whole.notes = distinct(parts.flatMap(\.run.notes))
        whole.held = parts.reduce(into: [:]) { held, part in held.merge(part.run.held, uniquingKeysWith: +) }
        // A sort that keeps the order of equals: a broken invariant stands behind the instance that broke it.
        let results = parts.flatMap(\.run.results).enumerated().sorted {
            ($0.element.order ?? 0, $0.offset) < ($1.element.order ?? 0, $1.offset)
        }
        whole.results = results.map { result in
            var result = result.element
            result.order = nil
            return result
        }
        return whole.bounded
    }

    /// Assigns the known failures again: each result has the line that covers it, and no other.
    package func announced(by known: KnownFailing, on today: CivilDate) -> ReportDocument {
        var document = self
        for index in results.indices {
            let line = known.line(for: results[index].name, on: today)
            document.results[index].known = line.map { Announcement(reason: $0.reason, until: $0.until) }
        }
        // A case that passes is not a stale announcement if the line also covers an invariant that was broken in it.
        let broken = Set(document.results.filter { $0.isKnownFailure }.compactMap { KnownFailing.instance(of: $0.name) })
        for index in document.results.indices where document.results[index].verdict == .pass {
            if broken.contains(document.results[index].name) { document.results[index].known = nil }
        }
        return document
    }

    /// Complains of duplicate and missing shards.
    private static func checkNumbers(_ parts: [Part], of first: Part, _ complaints: Complaints) {
        var files: [Int: String] = [:]
        for part in parts where part.part.shard.count == first.part.shard.count {
            if let other = files[part.part.shard.number] {
                complaints.add(
                    found: "shard \(part.part.shard) again", expected: "it once: \(other) has it", at: SourcePosition(file: part.file))
            } else {
                files[part.part.shard.number] = part.file
            }
        }
        let count = first.part.shard.count
        let missing = (1...count).filter { files[$0] == nil }
        guard !missing.isEmpty else { return }
        let shown = missing.prefix(10).map { "\($0)/\(count)" } + (missing.count > 10 ? ["\(missing.count - 10) more"] : [])
        complaints.add(
            found: "no report of the \(missing.count == 1 ? "shard" : "shards") \(shown.joined(separator: ", "))",
            expected: "one of each of the \(counted(count, "shard")) that \(first.file) names", at: SourcePosition(file: "--merge"))
    }

    /// Complains of results without an index in the whole run, and of an index for which two shards have a result.
    private static func checkResults(_ parts: [Part], _ complaints: Complaints) {
        var owners: [Int: String] = [:]
        for part in parts {
            for (index, result) in part.run.results.enumerated() {
                let position = SourcePosition(file: part.file, path: "results.\(index).order")
                guard let order = result.order, (1...max(1, part.part.total)).contains(order) else {
                    complaints.add(
                        found: result.order.map { "the position \($0)" } ?? "no position of \(clipped(result.name, to: 200))",
                        expected: "its position in the whole run, 1 to \(part.part.total)", at: position)
                    break
                }
                if let other = owners[order], other != part.file {
                    complaints.add(
                        found: "a result for position \(order), \(clipped(result.name, to: 200))",
                        expected: "it in one shard: \(other) has one", at: position)
                    break
                }
                owners[order] = part.file
            }
        }
    }
}

/// The report of a shard, and the file that it was read from.
private struct Part {
    let file: String
    let run: ReportDocument
    let part: RunPart

    init?(_ report: FiledReport, _ complaints: Complaints) {
        guard let part = report.run.part else {
            complaints.add(
                found: "a report that is not of a shard", expected: "one of `counterfoil test --shard`",
                at: SourcePosition(file: report.file))
            return nil
        }
        file = report.file
        run = report.run
        self.part = part
    }

    /// Whether no driver named its client: there was nothing to run, or it could not be started.
    var isClientUnknown: Bool { run.results.isEmpty && run.client == RunReport.unknownClient }

    /// Complains of all that makes it a part of another run; `named` is the first report that has the client's name.
    func check(against first: Part, client named: Part, _ complaints: Complaints) {
        func compare(_ what: String, _ found: String, _ expected: String, of other: Part) {
            guard found != expected else { return }
            complaints.add(found: "\(what) \(found)", expected: "\(expected) as in \(other.file)", at: SourcePosition(file: file))
        }
        compare("the seed", String(run.seed), String(first.run.seed), of: first)
        if !isClientUnknown { compare("the client", run.client, named.run.client, of: named) }
        compare("the version", run.origin.version ?? "none", first.run.origin.version ?? "none", of: first)
        compare("contracts with the digest", run.contracts ?? "none", first.run.contracts ?? "none", of: first)
        guard part.shard.count == first.part.shard.count else {
            return compare("a run divided into", counted(part.shard.count, "shard"), counted(first.part.shard.count, "shard"), of: first)
        }
        guard part.cut != first.part.cut else { return }
        let found = "\(counted(part.total, "instance")) with `cut` \(part.cut)"
        complaints.add(
            found: found,
            expected: "\(counted(first.part.total, "instance")) with `cut` \(first.part.cut) as in \(first.file): "
                + "give each shard the same --filter, --skip, --bank, --repeat and --durations",
            at: SourcePosition(file: file))
    }
}
