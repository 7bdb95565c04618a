import BankClient
import BankModel
import DriverProtocol
import Foundation
import Platform

/// Mistakes in which money moves though nobody asked, or nobody asked again.
extension Mutant {
    static var invariantOrders: [Mutant] {
        [
            Mutant(
                "penny-first", "sends a penny before the first payment, to see whether the payee exists",
                killedBy: ["invariant.no-unrequested-payments in pay.new-intent-new-key"]
            ) { parts, _ in
                let isFirst = Counter()
                return parts.client { base in
                    OtherSender(
                        base: base,
                        paying: { intent, order, base throws(ClientFailure) in
                            if isFirst.next() == 1 { _ = try? await base.pay("\(intent) probe", order.paying(1)) }
                            return try await base.pay(intent, order)
                        })
                }
            },
            Mutant(
                "pays-again-at-sign-in", "treats every known payment as open, and pays it again at a sign-in",
                killedBy: ["invariant.no-unrequested-payments in pay.unauthorised-then-login-same-key"]
            ) { parts, _ in
                var parts = parts
                let paid = PaidBefore()
                parts.caller.keeper = AroundKeeper(base: parts.caller.keeper, signedIn: { _ in await paid.payAgain() })
                return parts.client { base in
                    paid.use(base)
                    return OtherSender(
                        base: base,
                        paying: { intent, order, base throws(ClientFailure) in
                            paid.note(order)
                            return try await base.pay(intent, order)
                        })
                }
            },
            Mutant(
                "pays-again-at-start", "pays each completed payment again when the app starts",
                killedBy: ["invariant.no-unrequested-payments in pay.key-survives-kill"]
            ) { parts, start in
                let paid = PaidBefore()
                let path = start.stateDirectory + "/paid"
                return parts.client { base in
                    paid.use(base)
                    if start.resumed { paid.payAgain(from: path) }
                    return OtherSender(
                        base: base,
                        paying: { intent, order, base throws(ClientFailure) in
                            let receipt = try await base.pay(intent, order)
                            paid.keep(order, in: path)
                            return receipt
                        })
                }
            },
        ]
    }
}

/// The completed payments, to pay again.
private final class PaidBefore: Sendable {
    private let orders = Locked<[PaymentOrder]>([])
    private let sender = Locked<(any PaymentSending)?>(nil)

    func use(_ base: any PaymentSending) { sender.withLock { $0 = base } }

    func note(_ order: PaymentOrder) { orders.withLock { if !$0.contains(order) { $0.append(order) } } }

    func payAgain() async {
        guard let sender = sender.withLock({ $0 }) else { return }
        for order in orders.withLock({ $0 }) { _ = try? await sender.pay("again \(UUID().uuidString)", order) }
    }

    /// Writes an order down, for the owner only.
    func keep(_ order: PaymentOrder, in path: String) {
        let line: JSON = [
            "from": .string(order.from), "to": .string(order.to), "units": .int(order.amount.minorUnits),
            "currency": .string(order.amount.currency.code),
        ]
        _ = FileManager.default.createFile(atPath: path, contents: Data(line.bytes), attributes: [.posixPermissions: 0o600])
    }

    /// Pays what was written down, and waits for it as an app waits for its first screen.
    func payAgain(from path: String) {
        guard let bytes = FileManager.default.contents(atPath: path), let line = try? JSON(parsing: bytes),
            let from = line["from"]?.string, let to = line["to"]?.string, let units = line["units"]?.int,
            let currency = line["currency"]?.string.flatMap(Currency.init)
        else { return }
        note(PaymentOrder(from: from, to: to, amount: Money(minorUnits: units, currency: currency)))
        let isDone = DispatchSemaphore(value: 0)
        Task.detached {
            await self.payAgain()
            isDone.signal()
        }
        _ = isDone.wait(timeout: .now() + 3)
    }
}
