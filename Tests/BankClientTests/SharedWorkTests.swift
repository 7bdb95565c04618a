import BankModel
import Foundation
import Platform
import Testing

@testable import BankClient

/// A waiting task that is cancelled leaves at once; the others get the value.
@Suite(.timeLimit(.minutes(10)))
struct SharedWorkTests {
    @Test(arguments: [SharedWork<Int>.Abandoned.goesOn, .isCalledOff])
    func `one of two is cancelled: it ends before the work does, and the other gets the value`(_ abandoned: SharedWork<Int>.Abandoned) async
    {
        let latch = Latch()
        let work = SharedWork(whenAbandoned: abandoned) {
            await latch.wait()
            return 7
        }
        guard let first = work.join(), let second = work.join() else {
            Issue.record("found no place, expected two")
            return
        }
        let leaving = Task { await work.value(at: first) }
        let staying = Task { await work.value(at: second) }
        await latch.hasWaiting()

        leaving.cancel()
        #expect(await leaving.value == nil)

        latch.open()
        #expect(await staying.value == 7)
    }

    @Test func `the last one to leave cancels the work, and receives its value; nobody joins after that`() async throws {
        let work = SharedWork(whenAbandoned: .isCalledOff) {
            let latch = Latch()
            await withTaskCancellationHandler {
                await latch.wait()
            } onCancel: {
                latch.open()
            }
            return Task.isCancelled
        }
        let slot = try #require(work.join())
        let waiting = Task { await work.value(at: slot) }

        waiting.cancel()

        #expect(await waiting.value == true)
        #expect(work.join() == nil)
    }

    @Test func `work that continues when abandoned is not cancelled, and can still be joined`() async throws {
        let began = Latch()
        let work = SharedWork(whenAbandoned: .goesOn) {
            await began.wait()
            return Task.isCancelled
        }
        let slot = try #require(work.join())
        let waiting = Task { await work.value(at: slot) }
        await began.hasWaiting()

        waiting.cancel()
        #expect(await waiting.value == nil)
        let later = try #require(work.join())
        began.open()

        #expect(await work.value(at: later) == false)
    }

    @Test func `a task cancelled before waiting has left, and an existing value is returned all the same`() async throws {
        let latch = Latch()
        let work = SharedWork(whenAbandoned: .goesOn) {
            await latch.wait()
            return 7
        }
        let early = try #require(work.join())
        let ready = Latch()
        let task = Task {
            await ready.wait()
            return await work.value(at: early)
        }
        task.cancel()
        ready.open()
        #expect(await task.value == nil)

        latch.open()
        #expect(await work.hasEnded())
        let late = try #require(work.join())
        let after = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return await work.value(at: late)
        }
        #expect(await after.value == 7)
    }

    @Test func `a second tap that is cancelled ends at once, and the payment continues for the first`() async throws {
        let latch = Latch()
        let bank = try await Bank { _, _ in
            await latch.wait()
            return .paid
        }
        let first = Task { try await bank.client.pay("A", order("10.00")) }
        await latch.hasWaiting()
        let second = Task { await bank.error { try await $0.pay("A", order("10.00")) } }
        await Task.yield()

        second.cancel()
        #expect(await second.value == .cancelled)

        latch.open()
        #expect(try await first.value == PaymentReceipt(id: "p1", state: .accepted))
        #expect(bank.payments.count == 1)
    }

    @Test
    func `a request that waits for a shared refresh and is cancelled ends at once; the refresh continues and is stored`() async throws {
        let (store, latch) = (MemoryTokenStore(), Latch())
        let keeper = TokenKeeper(store: store, refresher: HeldRefresher(latch: latch))
        let old = Token(access: "old", refresh: "r1")
        try await keeper.signIn(old)
        let first = Task { () async -> ClientError? in
            do throws(ClientFailure) {
                _ = try await keeper.replacement(for: old)
                return nil
            } catch { return error.error }
        }
        await latch.hasWaiting()
        let second = Task { try await keeper.replacement(for: old) }

        first.cancel()
        #expect(await first.value == .cancelled)
        #expect(store.load() == old)

        latch.open()
        #expect(try await second.value == Token(access: "new", refresh: "r2"))
        #expect(store.load() == Token(access: "new", refresh: "r2"))
    }
}

/// Refreshes once it is released.
private struct HeldRefresher: TokenRefreshing {
    let latch: Latch

    func refresh(_ refresh: String) async throws(ClientFailure) -> Token {
        await latch.wait()
        return Token(access: "new", refresh: "r2")
    }
}
