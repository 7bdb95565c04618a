package import BankCore
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
        /// A bank whose operations are not learned again; nil to learn them all.
        package var onMissOf: PreparedBank?

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
        /// The request lines of operations that are left out because ``Options/onMissOf`` has them.
        package var known: [String]
        /// The request lines of operations of which only a 404 was recorded: their paths may have been mistyped.
        package var notFound: [String]
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
        let notes = ImportNotes()
        guard exchanges.count <= TrafficImport.mostExchanges else {
            throw rejection(
                "found \(exchanges.count) requests, expected at most \(TrafficImport.mostExchanges): give fewer files, or record less")
        }
        let sorted = exchanges.sorted { ($0.started, $0.number) < ($1.started, $1.number) }
        let choice = ExchangeChoice(sorted, host: options.host, notes: notes)
        var cleaner = ExchangeCleaner(seed: options.seed, keep: options.keep)
        for entry in choice.chosen { cleaner.note(entry, isGrant: choice.isGrant(entry)) }
        cleaner.prepare()
        var clean: [(entry: RecordedExchange, original: RecordedExchange)] = []
        for entry in choice.chosen {
            guard let cleaned = cleaner.clean(entry, isGrant: choice.isGrant(entry)) else {
                notes.warn(.leftOut, entry.located(entry.method), "its body is not text and has a secret or personal data in it")
                continue
            }
            if choice.isOfAPI(cleaned) { clean.append((cleaned, entry)) }
        }
        let addresses = AddressLearner(clean.map(\.entry))
        let learned = clean.compactMap { LearnedExchange($0.entry, original: $0.original, choice.facts, addresses) }
        var pseudonyms = cleaner.pseudonyms
        var learner = TrafficLearner(learned, notes: notes) { pseudonyms.password() }
        learner.learn()
        guard !learner.operations.isEmpty else {
            let listed = (warnings + notes.warnings).prefix(20)
            throw ComplaintsError(
                listed.map { Complaint("\($0.item): \($0.reason)", at: SourcePosition(file: $0.file)) } + [
                    Complaint(
                        "found \(counted(exchanges.count, "exchange")), and none can be learned", at: SourcePosition(file: options.name))
                ])
        }
        let known = options.onMissOf.map { learner.leaveOut(knownTo: $0, among: choice.chosen) } ?? []
        if learner.operations.isEmpty, let bank = options.onMissOf?.bank.name {
            throw rejection("found \(counted(exchanges.count, "exchange")), and the bank \(bank) has operations for all of them")
        }
        noteUnsupported(learner, choice)
        let bank = LearnedBank(
            name: options.name, learner: learner,
            about: "Learned from \(counted(learned.count, "recorded exchange")) with \(choice.host.isEmpty ? "one host" : "one API").",
            keyHeader: choice.keyHeader, jitter: options.amounts == .jitter ? AmountJitter(seed: options.seed) : nil)
        let (files, rules, choices) = bank.files()
        let all = warnings + notes.warnings
        // What is listed must be as clean as what is written.
        let listing = ImportFile("the list of what could not be converted", notes.warnings.map(\.description).joined(separator: "\n"))
        if let leak = cleaner.leak(in: files + [listing]) {
            // Secrets are never kept.
            let advice =
                leak.isSecret
                ? "leave its exchange out, or put another text there"
                : "if it is not secret, keep it with --keep \(leak.member), else leave its exchange out"
            throw rejection("the value of `\(leak.member)` is in \(leak.file) in some form, so nothing is written; \(advice)")
        }
        let imported = Imported(
            files: files, warnings: all, operations: learner.operations.count, rules: rules, choices: choices, signIn: bank.signIn)
        let notFound = learner.operations.filter { operation in operation.exchanges.allSatisfy { $0.status == 404 } }.map(\.requestLine)
        return Learned(imported: imported, replaced: cleaner.report, known: known, notFound: notFound)
    }

    private static let mostExchanges = 20_000

    private func rejection(_ text: String) -> ComplaintsError {
        ComplaintsError([Complaint(text, at: SourcePosition(file: options.name))])
    }

    private func noteUnsupported(_ learner: TrafficLearner, _ choice: ExchangeChoice) {
        guard let first = learner.exchanges.first else { return }
        if choice.keyHeader == nil, let keyed = learner.exchanges.first(where: \.hasKey) {
            let isUncertain = choice.facts.isKeyUncertain
            let reason = isUncertain ? "nothing shows whether X-Request-Id is the idempotency key" : "the idempotency key is in the body"
            learner.note(.ignored, keyed, "\(reason); write `key` by hand")
        }
        if !learner.signIn.hasTokens, choice.hasOtherCredentials {
            learner.note(.wider, first, "requests have credentials other than bearer tokens; the bank requires none")
        }
        if !choice.hasOtherCredentials, learner.exchanges.allSatisfy({ $0.token == nil }),
            let signedIn = learner.exchanges.first(where: { $0.role == .login && $0.isSuccess })
        {
            learner.note(
                .wider, signedIn,
                "no request has the token that this sign-in returned, so the bank requires none; Chromium leaves it out unless you export "
                    + "the HAR with sensitive data")
        }
    }
}
