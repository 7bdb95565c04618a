import BankCore
import BankModel
import Contracts

extension ProviderRun {
    /// One side's answers to a payment, to its repetition, and to another amount under the same key.
    private struct Answers {
        var first: ProviderAnswer
        var second: ProviderAnswer
        var other: ProviderAnswer
    }

    /// Whether a key that is used twice gives one result, and another payload under it is rejected; reports first what will be paid.
    func pay(
        token: String?, _ reads: inout ReadRound, _ ownReads: inout [ReadRound], _ report: inout ProviderReport
    ) async -> [ProviderReport.Check] {
        guard let operation = bank.operations(of: .pay).first(where: { $0.key != nil && $0.move != nil }) else { return [] }
        func skip(_ reason: String) -> [ProviderReport.Check] {
            Question.allCases.map { $0.check(operation, verdict: .notExercised, notes: [reason]) }
        }
        // The stub pays in any case: what it shows of a payment can then be compared with one of the provider's.
        guard let own = await stubPays(operation) else { return skip("the stub has no payment to compare with") }
        for index in ownReads.indices { if let response = own.first.response { ownReads[index].learn(response, of: operation) } }
        guard options.allowsWrites else { return skip("a payment is a write: it needs --allow-writes") }
        guard let order = options.payment else { return skip("a payment needs --from and --to") }
        guard operation.access == .open || token != nil else { return skip(wantsToken) }
        do throws(UnfillableCall) {
            let requests = try self.requests(operation, order, key: options.newKey(), token: token)
            let amount = "\(order.amount)"
            let more = "\(order.amount.oneMore)"
            options.announce(
                "pays \(amount) from \(order.from) to \(order.to) at \(provider.baseURL), then the same amount again and \(more) with the same key: "
                    + "one payment of \(amount), but three if the provider does not support keys")
            report.writes.append("\(operation.requestLine): \(amount), twice with one key, and \(more) with it")
            let seen = await send(requests, to: provider)
            if let response = seen.first.response { reads.learn(response, of: operation) }
            return judge(operation, own: own, seen: seen)
        } catch {
            return skip("\(error)")
        }
    }

    /// The stub's answers to a payment with the bank's defaults; nil if it has none, or cannot be called.
    private func stubPays(_ operation: Operation) async -> Answers? {
        let defaults = bank.defaults["pay"]
        guard let from = defaults?["from"]?.string, let to = defaults?["to"]?.string,
            let currency = defaults?["currency"]?.string.flatMap(Currency.init),
            let customer = bank.customers.first(where: { !$0.locked })?.login
        else { return nil }
        let amount = Money(minorUnits: 1, currency: currency)
        let order = ProviderOptions.PaymentOrder(from: from, to: to, amount: amount)
        let key = "5f1c0a10-0000-4000-8000-00000000c0de"
        guard let requests = try? self.requests(operation, order, key: key, token: stub.token(for: customer)) else { return nil }
        return await send(requests, to: stub)
    }

    /// The payment, and another amount under its key.
    private func requests(
        _ operation: Operation, _ order: ProviderOptions.PaymentOrder, key: String, token: String?
    ) throws(UnfillableCall) -> (payment: BankRequest, other: BankRequest) {
        guard let move = operation.move, let location = operation.key else { throw UnfillableCall(what: "a key") }
        let isQuoted = bank.dialect.idempotency?.quoted == .required && operation.key == bank.dialect.idempotency?.key
        func request(_ amount: Money) throws(UnfillableCall) -> BankRequest {
            var call = try CallBuilder(operation)
            try call.put(.string(isQuoted ? "\"\(key)\"" : key), at: location)
            try call.put(move.unit.json(amount), at: move.amount)
            try call.put(.string(amount.currency.code), at: move.currency)
            if let from = move.from.first { try call.put(.string(order.from), at: from.key) }
            if let to = move.to.first { try call.put(.string(order.to), at: to.key) }
            if operation.access != .open, let token { call.authorise(token) }
            return try call.request()
        }
        return (try request(order.amount), try request(order.amount.oneMore))
    }

    /// If the first is rejected nothing more is sent: there is nothing to repeat.
    private func send(_ requests: (payment: BankRequest, other: BankRequest), to side: any AskedBank) async -> Answers {
        let first = await side.ask(requests.payment)
        guard let response = first.response, response.status < 300 else {
            let reason = ProviderAnswer.nothing("not sent, because the first payment failed")
            return Answers(first: first, second: reason, other: reason)
        }
        return Answers(first: first, second: await side.ask(requests.payment), other: await side.ask(requests.other))
    }

    private func judge(_ operation: Operation, own: Answers, seen: Answers) -> [ProviderReport.Check] {
        [
            check(.payment, operation, own.first, seen.first) { own, seen in
                // A rejected payment shows nothing of shapes: there may be no money, or no such account.
                seen.status >= 400 ? nil : ResponseComparison(stub: [own], provider: [seen]).drifts
            },
            check(.sameKey, operation, own.second, seen.second) { own, response in
                var drifts = ResponseComparison(stub: [own], provider: [response]).drifts
                if bank.dialect.idempotency?.replay == .stored, let first = seen.first.response, let before = first.json,
                    let now = response.json
                {
                    drifts += differences(before, now, at: "")
                }
                if let marker = bank.dialect.idempotency?.marker, own.header(marker.name) != nil, response.header(marker.name) == nil {
                    drifts.append(Drift(.missingHeader, stub: "the header \(marker.name)", provider: "nothing"))
                }
                return drifts
            },
            check(.otherPayload, operation, own.other, seen.other) { own, seen in
                ResponseComparison(stub: [own], provider: [seen], .rejection).drifts
            },
        ]
    }

    private func check(
        _ question: Question, _ operation: Operation, _ own: ProviderAnswer, _ seen: ProviderAnswer,
        _ drifts: (ObservedResponse, ObservedResponse) -> [Drift]?
    ) -> ProviderReport.Check {
        func inconclusive(_ why: String) -> ProviderReport.Check { question.check(operation, verdict: .inconclusive, notes: [why]) }
        guard case .response(let own) = own else { return inconclusive("the stub did not pay") }
        switch seen {
        case .nothing(let why): return inconclusive(why)
        case .response(let seen):
            if let why = ReadJudging.reasonNotToJudge(seen, wasAuthorised: true) { return inconclusive(why) }
            guard let found = drifts(own, seen) else { return inconclusive("the payment was rejected with status \(seen.statusText)") }
            return question.check(operation, verdict: found.isEmpty ? .pass : .fail, drifts: found)
        }
    }

    /// The differences between the responses to the first and the second request.
    private func differences(_ first: JSON, _ second: JSON, at pointer: String) -> [Drift] {
        if case .object(let members) = first, case .object(let others) = second, Set(members.keys) == Set(others.keys) {
            return members.members.flatMap { name, value in
                others[name].map { differences(value, $0, at: "\(pointer)/\(name)") } ?? []
            }
        }
        if first == second { return [] }
        return [Drift(.twoResults, at: pointer, stub: "the first result", provider: "a different result")]
    }

    /// One check that uses a payment.
    private enum Question: String, CaseIterable {
        case payment
        case sameKey = "same-key"
        case otherPayload = "other-payload"

        private var why: String {
            switch self {
            case .payment: "The response to a payment has the status, content type and fields of the stub's response."
            case .sameKey: "The same request with the same key returns the first result."
            case .otherPayload: "Another amount with a used key is rejected as the dialect declares."
            }
        }

        func check(_ operation: Operation, verdict: Verdict, drifts: [Drift] = [], notes: [String] = []) -> ProviderReport.Check {
            ProviderReport.Check(
                suite: .idempotency, name: rawValue, request: operation.requestLine, why: why, verdict: verdict, drifts: drifts,
                notes: notes)
        }
    }
}

extension Money {
    /// One of the smallest unit more; one less of the largest amount there is.
    fileprivate var oneMore: Money { Money(minorUnits: minorUnits == .max ? .max - 1 : minorUnits + 1, currency: currency) }
}
