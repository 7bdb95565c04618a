import BankModel

/// Everything a contract run found out: what reports are rendered from.
package struct RunReport: Sendable {
    /// The client's name and version from the driver's hello.
    package var client: String
    /// The command line by which the driver was started.
    package var command: String
    /// Further options that are needed to repeat the run, as words of a shell: how the driver is driven, which folders.
    package var options: String
    package var seed: UInt64
    package var results: [InstanceResult]
    /// How many instances were left out by `--skip`.
    package var skipped = 0
    /// The name of the baseline that failed instances were compared with; nil if none was run.
    package var baseline: String?
    /// Why there is no verdict on the whole: the run could not be made, or not to its end.
    package var trouble: String?
    package var duration: Duration
    /// When, where and by which program the run was made.
    package var origin = ReportDocument.Origin()
    /// A digest of the contracts: 64 hexadecimal digits; nil if nobody made one.
    package var contracts: String?
    /// The part of a larger run that it is; nil for a whole run.
    package var part: RunPart?
    /// The index of each instance in the order of the whole run, from 0, by its name; empty for a whole run.
    package var positions: [String: Int] = [:]

    /// The client of a run in which no driver answered.
    package static let unknownClient = "unknown client"

    package init(
        client: String, command: String, options: String = "", seed: UInt64, results: [InstanceResult] = [], trouble: String? = nil,
        duration: Duration = .zero
    ) {
        self.client = client
        self.command = command
        self.options = options
        self.seed = seed
        self.results = results
        self.trouble = trouble
        self.duration = duration
    }

    /// The command that runs one instance again as it was.
    package func again(_ result: InstanceResult) -> String {
        "\(invocation) --filter \(RunReport.quoted(result.instance.filterName)) --seed \(seed)"
    }

    /// The command that runs all failed ones again as they were.
    package var failedAgain: String { "\(invocation) --last-failed --seed \(seed)" }

    /// The beginning of each command: the client, and how it is driven.
    package var invocation: String {
        "counterfoil test --client \(RunReport.quoted(command))" + (options.isEmpty ? "" : " " + options)
    }

    /// The text as one word of a shell.
    package static func quoted(_ text: String) -> String {
        let plain = text.utf8.allSatisfy { $0.isLetter || $0.isDigit || "-_./@%+=:,".utf8.contains($0) }
        if plain, !text.isEmpty { return text }
        return "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }
}

/// One instance and its result.
package struct InstanceResult: Sendable {
    package var instance: Instance
    package var evidence: Evidence
    package var judgement: Judgement
    package var duration: Duration
    /// From 1; more than one with `--repeat`.
    package var repetition: Int
    /// The line of the known-failing file that covers it.
    package var known: KnownFailing.Line?
    /// Whether the platform's HTTP stack fails in the same way.
    package var platform: PlatformFailure?
    /// The ids of the invariants that something in the run could have broken, and nothing did.
    package var held: [String] = []

    package init(
        _ instance: Instance, _ evidence: Evidence, _ judgement: Judgement, duration: Duration = .zero, repetition: Int = 1,
        known: KnownFailing.Line? = nil
    ) {
        self.instance = instance
        self.evidence = evidence
        self.judgement = judgement
        self.duration = duration
        self.repetition = repetition
        self.known = known
    }

    package var name: String { instance.name }

    /// Whether it is a failure that does not count: it is known, or forgiven as the platform's.
    package var isKnownFailure: Bool { judgement.verdict == .fail && (known != nil || platform == .forgiven) }
}
