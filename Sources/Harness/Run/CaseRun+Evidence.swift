import BankModel
import Contracts
import DriverProtocol
import Foundation

/// Evidence besides the results of steps: the bank's records, and the locations of secrets.
extension CaseRun {
    /// Gathers the evidence for the verdict, when the client has ended the case.
    func gather() {
        countApplications()
        noteMachineClock()
        // Before the journal: a payment that the bank makes just now has its request in the journal, too.
        evidence.movements = session.movements()
        let journal = session.journal()
        evidence.journal = journal.entries
        evidence.visits = signIn.visits(in: journal.entries)
        evidence.approvals = signIn.approvals
        evidence.dropped = journal.dropped
        // Again: a request may have met the rule before it was removed.
        evidence.missedKills = Set(unmetKillRules.filter { !journal.entries.hasApplied($0.value) }.keys)
        evidence.deliveries = session.deliveries()
        evidence.owners = session.tokenOwners()
        let output = isAlone ? stderr : processes[1]?.process.stderr
        evidence.stderr = output?.text ?? ""
        let scan = scan(withData: true)
        searchFiles(for: scan)
        if let output { searchLog(output, for: scan) }
        for (n, text) in freeTexts.sorted(by: { $0.key < $1.key }) {
            evidence.foundSecrets += scan.find(in: Array(text.utf8), .log, "the response to step \(n)", after: n)
        }
        evidence.foundSecrets += scan.find(inAddressesOf: journal.entries)
    }

    private func searchFiles(for scan: SecretScan) {
        search(folder, for: scan, after: Evidence.FoundSecret.atEnd)
        guard !isAlone else { return }
        // Cases that share a process share its home and output, so only this case's secrets are searched for.
        let own = self.scan(withData: false, withPasswords: false)
        search(drivers.home, for: own, after: Evidence.FoundSecret.atEnd, named: "../drivers/")
    }

    private func searchLog(_ output: StderrTail, for scan: SecretScan) {
        let (written, dropped) = output.since(stderrBefore)
        evidence.foundSecrets += scan.find(in: written, .log, Evidence.FoundSecret.log, after: Evidence.FoundSecret.atEnd)
        guard dropped > 0 else { return }
        evidence.unsearched.append(
            Evidence.Unsearched(
                path: Evidence.FoundSecret.log, reason: "the first \(dropped) bytes of the case were not searched", mayHoldSecret: true,
                after: Evidence.FoundSecret.atEnd))
    }

    /// Looks at the disk once while a step is under way: when the bank has read its first request.
    func watchDisk(during n: Int, since seq: Int) async {
        await session.journalChanged(since: seq, within: limits.step)
        guard !Task.isCancelled, evidence.steps[n] == nil else { return }
        search(folder, for: scan(withData: false), after: n, isDuring: true)
    }

    /// Searches all files below a folder, and records what is found and what is left out.
    func search(_ folder: URL, for scan: SecretScan, after step: Int, named prefix: String = "", isDuring: Bool = false) {
        let searched = SearchedFolder(folder, for: scan, after: step, named: prefix, isDuring: isDuring)
        evidence.foundSecrets += searched.foundSecrets
        // Files that the case itself makes unreadable for a while are searched later.
        if unreadable == nil { evidence.unsearched += searched.unsearched }
    }

    /// A search for all that must not be found.
    func scan(withData: Bool, withPasswords: Bool = true) -> SecretScan {
        SecretScan(
            session.tokenTexts(), data: withData ? session.sensitiveTexts() : [:], passwords: withPasswords ? passwords : [:],
            idTokens: session.idTokenBeginnings())
    }

    /// The passwords of the bank's customers, and those that steps sign in with, right or wrong.
    private var passwords: [String: String] {
        let known = instance.bank.customers.map(\.password) + instance.allSteps.compactMap { $0.action.argument("password") }
        let texts = Set(known.filter { !$0.isEmpty }).sorted().enumerated()
        return Dictionary(texts.map { ("password#\($0 + 1)", $1) }, uniquingKeysWith: { $1 })
    }
}

extension SecretScan {
    /// The secrets in the addresses of requests. The journal does not have the values of secret parameters, so their names count.
    fileprivate func find(inAddressesOf journal: [JournalEntry]) -> [Evidence.FoundSecret] {
        let verifiers = Verifiers(in: journal)
        return journal.flatMap { exchange -> [Evidence.FoundSecret] in
            let address = exchange.path + "?" + (exchange.query ?? "")
            let location = "exchange \(exchange.seq)"
            let named = exchange.secretParameters.map { name in
                Evidence.FoundSecret(
                    token: "a value for `\(name)`", kind: .password, location: .address, path: location, encoding: "as a parameter",
                    after: Evidence.FoundSecret.atEnd)
            }
            return find(in: Array(address.utf8), .address, location, after: Evidence.FoundSecret.atEnd)
                + verifiers.foundSecrets(in: exchange) + named
        }
    }
}
