import BankCore
import BankModel
import Contracts

extension ProviderRun {
    /// A read with which tokens are tried, and how each side was asked it.
    private struct Trial {
        var read: ReadableOperation
        var binding: Gathered.Binding
        var ownBinding: Gathered.Binding
    }

    /// Whether a request without a token, and one with a token that nobody was given, are rejected as the dialect defines.
    func rejections(_ reads: ReadRound, _ ownReads: [ReadRound]) async -> [ProviderReport.Check] {
        guard bank.auth != nil else { return [] }
        let tries: [(name: String, token: String?, why: String)] = [
            ("no-token", nil, "A request without a token is rejected as the dialect declares."),
            ("unknown-token", "counterfoil-verify-no-such-token", "A token that was never issued is rejected as the dialect declares."),
        ]
        guard let trial = trial(reads, ownReads) else {
            return tries.map { unexercised($0.name, $0.why, "no operation that needs a token could be called") }
        }
        var checks: [ProviderReport.Check] = []
        for (name, token, why) in tries {
            let own = await answer(stub, trial.read, trial.ownBinding, token, reads)
            let seen = await answer(provider, trial.read, trial.binding, token, reads)
            checks.append(compare(name, trial.read, why, own: own, seen: seen))
        }
        return checks
    }

    /// Whether a token is rejected once it was revoked; for a separate token, and only if writing is allowed.
    func revocation(_ reads: ReadRound, _ ownReads: [ReadRound], _ report: inout ProviderReport) async -> [ProviderReport.Check] {
        let why = "A revoked token is rejected as the dialect declares."
        let revoking = bank.operations.first { operation in if case .revoke = operation.grant { true } else { false } }
        guard bank.auth != nil, let revoking else { return [] }
        func skip(_ reason: String) -> [ProviderReport.Check] { [unexercised("revoked-token", why, reason)] }
        guard options.allowsWrites else { return skip("revoking is a write: it needs --allow-writes") }
        guard case .login? = options.credentials else { return skip("revoking needs a second sign-in: it needs --login") }
        guard let trial = trial(reads, ownReads), let customer = bank.customers.first(where: { !$0.locked })?.login,
            let ownToken = stub.token(for: customer)
        else { return skip("no operation that needs a token could be called") }
        options.announce("signs in again and revokes that token (\(revoking.requestLine))")
        guard let token = await freshToken() else { return skip("the second sign-in returned no token") }
        report.writes.append("\(revoking.requestLine): a second token was revoked")
        _ = await revoke(ownToken, stub, revoking)
        let revoked = await revoke(token, provider, revoking)
        guard let response = revoked.response, response.status < 300 else {
            let seen = revoked.response.map { "it responded with \($0.statusText)" } ?? "there was no response"
            return [
                ProviderReport.Check(
                    suite: .auth, name: "revoked-token", request: revoking.requestLine, why: why, verdict: .inconclusive,
                    notes: ["the token could not be revoked: \(seen)"])
            ]
        }
        let own = await answer(stub, trial.read, trial.ownBinding, ownToken, reads)
        let seen = await answer(provider, trial.read, trial.binding, token, reads)
        return [compare("revoked-token", trial.read, why, own: own, seen: seen)]
    }

    private func revoke(_ token: String, _ side: any AskedBank, _ operation: Operation) async -> ProviderAnswer {
        guard case .revoke(let location) = operation.grant else { return .nothing("the bank has no such operation") }
        do throws(UnfillableCall) {
            var call = try CallBuilder(operation)
            try call.put(.string(token), at: location)
            if operation.access != .open { call.authorise(token) }
            return await side.ask(try call.request())
        } catch {
            return .nothing("\(error)")
        }
    }

    /// The first read that wants a token and was answered on both sides; without a token of ours, one that needs no parameter.
    private func trial(_ reads: ReadRound, _ ownReads: [ReadRound]) -> Trial? {
        for read in bank.reads where read.operation.access != .open {
            let own = ownReads.lazy.flatMap { $0.exchanges[read.index] ?? [] }.first { $0.answer.response.map { $0.status < 300 } ?? false }
            let seen = reads.exchanges[read.index]?.first { $0.answer.response.map { $0.status < 300 } ?? false }
            guard let own else { continue }
            if let seen { return Trial(read: read, binding: seen.binding, ownBinding: own.binding) }
            if reads.token == nil, read.operation.path.parameters.isEmpty {
                return Trial(read: read, binding: own.binding, ownBinding: own.binding)
            }
        }
        return nil
    }

    private func answer(
        _ side: any AskedBank, _ read: ReadableOperation, _ binding: Gathered.Binding, _ token: String?, _ round: ReadRound
    ) async -> ProviderAnswer {
        do throws(UnfillableCall) {
            return await side.ask(try round.request(read, binding, token: token))
        } catch {
            return .nothing("\(error)")
        }
    }

    private func compare(
        _ name: String, _ read: ReadableOperation, _ why: String, own: ProviderAnswer, seen: ProviderAnswer
    ) -> ProviderReport.Check {
        var check = ProviderReport.Check(suite: .auth, name: name, request: read.operation.requestLine, why: why, verdict: .pass)
        switch (own, seen) {
        case (.nothing(let reason), _), (_, .nothing(let reason)):
            check.verdict = .inconclusive
            check.notes = [reason]
        case (.response(let own), .response(let seen)):
            if let reason = ReadJudging.reasonNotToJudge(seen, wasAuthorised: false) {
                check.verdict = .inconclusive
                check.notes = [reason]
            } else {
                check.drifts = ResponseComparison(stub: [own], provider: [seen], .rejection).drifts
                if !check.drifts.isEmpty { check.verdict = .fail }
            }
        }
        return check
    }

    private func unexercised(_ name: String, _ why: String, _ reason: String) -> ProviderReport.Check {
        ProviderReport.Check(suite: .auth, name: name, request: "", why: why, verdict: .notExercised, notes: [reason])
    }
}
