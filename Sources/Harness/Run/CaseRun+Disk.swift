import Contracts
import Foundation
import Platform

/// Steps after which reads or writes of the client's files fail, or no longer do.
extension CaseRun {
    func perform(_ failure: StepAction.DiskFailure, _ n: Int) async {
        switch failure.what {
        case .nothing:
            await endDiskFailures()
            return note(n, .done)
        case .write: blockWrites(n)
        case .read: failReads(n)
        }
        guard let lasts = failure.lasts else { return }
        diskFailureTimer?.cancel()
        diskFailureTimer = Task { [clock] in
            do { try await clock.sleep(for: lasts) } catch { return }
            self.letFilesWork()
        }
    }

    /// Has the client's files work again, now and not by a timer.
    func endDiskFailures() async {
        diskFailureTimer?.cancel()
        await diskFailureTimer?.value
        diskFailureTimer = nil
        letFilesWork()
    }

    private func letFilesWork() {
        unreadable?.end()
        unreadable = nil
        guard blocksWrites else { return }
        blocksWrites = false
        for driver in processes.values { _ = driver.process.blockWrites(false) }
    }

    private func blockWrites(_ n: Int) {
        guard processes.values.allSatisfy({ $0.process.blockWrites(true) }) else {
            evidence.beyondMachine =
                FileSizeLimit.isSettable
                ? "the limit on the size of the client's files could not be set (prlimit): run it as the user who owns the process"
                : "this system cannot limit the files of a running process: run it on Linux"
            return
        }
        blocksWrites = true
        note(n, .done)
    }

    private func failReads(_ n: Int) {
        var files = unreadable ?? UnreadableFiles(below: folder, aside: folder.appendingPathExtension("aside"))
        do {
            guard let count = try files.begin() else {
                evidence.beyondMachine =
                    "the client's files could not be made unreadable: run it as a user other than root, or on Linux with /proc mounted"
                return
            }
            unreadable = files
            note(n, count == 0 ? .skipped : .done)
        } catch {
            evidence.harnessTrouble = "step \(n) (disk): the client's files could not be moved away: \(error)"
        }
    }
}
