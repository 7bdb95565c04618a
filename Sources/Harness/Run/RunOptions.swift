package import BankModel
package import Contracts
import DriverProtocol

package struct RunOptions: Sendable {
    /// How many cases at once.
    package var jobs: Int
    /// How many cases at once at most of a driver that takes them all in one process, if the machine keeps up; nil: as many as of any other.
    package var jobsInOneProcess: Int?
    package var seed: UInt64
    /// How often each instance is run.
    package var repetitions: Int
    /// Ends the run at the first failure that counts.
    package var failFast: Bool
    /// Gives each case its own process, whatever the driver reports about itself.
    package var processPerCase = false
    /// Tests a run in which a kill did not come, because the bank got no request to hold, as the case with the operation alone. Otherwise
    /// the run has no verdict: a case is about its kill, a random scenario is not.
    package var mayMissKills = false
    /// Has each bank tried out before the run; without it a client that cannot even sign in is judged case by case.
    package var triesOut = true
    /// The invariants, which apply to every case.
    package var invariants: [Invariant] = []
    /// The failures, named as mutants name them, after which the rest of their case is left out: for a run that asks only whether
    /// they fail. A case without one here is left out once it has failed itself. Nil: nothing is left out.
    package var endsCaseAtFailureOf: Set<String>?
    package var demands = Demands()
    package var knownFailing = KnownFailing()
    /// The day by which announcements of failures are judged.
    package var today: CivilDate
    package var limits = Limits()

    package init(jobs: Int = 4, seed: UInt64 = 1, repetitions: Int = 1, failFast: Bool = false, today: CivilDate) {
        self.jobs = jobs
        self.seed = seed
        self.repetitions = repetitions
        self.failFast = failFast
        self.today = today
    }

    /// How many cases at once for that driver: each process that is started is work, and in one that runs cases only wait.
    func concurrency(for hello: DriverHello) -> ConcurrencyLimit {
        let features = Set(hello.features)
        let sharesProcess = features.contains(DriverFeature.parallel.rawValue) && !features.contains(DriverFeature.fresh.rawValue)
        let most = sharesProcess && !processPerCase ? jobsInOneProcess ?? jobs : jobs
        return ConcurrencyLimit(least: max(1, min(jobs, most)), most: max(1, most))
    }
}

/// How long the harness waits, in real time. Every wait has a bound.
package struct Limits: Sendable, Hashable {
    /// For the first driver to send its hello, and for a driver to end a case.
    package var answer: Duration = .seconds(10)
    /// For a driver to send its hello, and to get ready for a case, while other cases run: a virtual machine that loads a locale's data on a busy
    /// machine takes its time.
    package var start: Duration = .seconds(30)
    /// For a step of the try-out before a run.
    package var tryOut: Duration = .seconds(10)
    /// For a step.
    package var step: Duration = .seconds(20)
    /// For a step with hundreds of requests, by the client's own pace.
    package var longestStep: Duration = .seconds(180)
    /// For something to happen before the next step begins, such as for a member of `together` to reach the bank.
    package var condition: Duration = .seconds(2)
    /// Between a step and the scan of the client's disk.
    package var beforeScan: Duration = .milliseconds(100)
    /// For a request that the client sends by itself to reach the bank, before the next step.
    package var quiet: Duration = .milliseconds(100)
    /// For the delivery records of responses that the client has read already.
    package var receipts: Duration = .seconds(1)
    /// For a driver to end after `bye`.
    package var goodbye: Duration = .seconds(2)

    package init() {}

    /// The time that a step may take: in a case that allows hundreds of requests, twice as much for each as the client has needed so far,
    /// up to ``longestStep``.
    ///
    /// - Parameters:
    ///   - most: how many requests the case allows.
    ///   - requests: how many the client has sent, in steps that took `taken` together.
    func step(of most: Int, requests: Int, in taken: Duration) -> Duration {
        guard most >= 100, requests > 0 else { return step }
        return max(step, min(taken / requests * 2 * min(most, 1000), longestStep))
    }
}

package enum Progress: Sendable {
    /// The driver has identified its client; `total` runs follow.
    case began(client: String, total: Int)
    case finished(InstanceResult, done: Int, total: Int)
}
