package import Contracts

extension BankSession {
    /// What the session's journal, and nothing else, says so far of the client that was pointed at it.
    ///
    /// It is a look at the journal as it is now, and may be taken as often as one likes. Exchanges that have not ended are
    /// counted as under way; wait until there are none and the client is quiet before the verdict is believed.
    ///
    /// - Parameter suites: the suites whose rules are wanted, of `AttachedRule.suites`; empty: all. A name that is no suite's
    ///   has no rules; `AttachedRule.suites(named:)` reads and checks names that somebody typed.
    package func verdict(suites: [String] = []) -> AttachedReport {
        let (entries, dropped) = journal()
        return AttachedReport(session: id, bank: bankName, journal: entries, dropped: dropped, suites: suites)
    }
}
