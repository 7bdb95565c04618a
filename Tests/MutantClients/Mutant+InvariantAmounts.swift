import BankClient
import BankModel
import DriverProtocol
import Foundation

/// Mistakes in what is moved: another amount, currency, payee or account than was ordered.
extension Mutant {
    static var invariantAmounts: [Mutant] {
        [
            Mutant(
                "cent-lost-in-double", "computes cents in binary floating point and truncates: 19.99 is sent as 19.98",
                killedBy: ["invariant.pays-what-was-wished in pay.exact-amounts"], control: paying
            ) { parts, _ in
                parts.writes { order in
                    guard let major = Double(order.amount.major) else { return order }
                    return order.paying(Int64(major * Double(order.amount.currency.minorPerMajor)))
                }
            },
            Mutant(
                "all-digits-of-binary", "writes amounts with all binary floating-point digits: 19.989999999999998437",
                killedBy: ["pay.exact-amounts", "pay.currency-digits"], control: paying
            ) { parts, _ in
                parts.sends { entry in
                    guard case .object(var body)? = try? JSON(parsing: entry.body), case .object(var amount)? = body["amount"],
                        let major = Double(entry.order.amount.major), amount["amount"] != nil
                    else { return }
                    // An amount that a float represents exactly is written as usual.
                    let text = String(format: "%.18f", major)
                    let more = text.dropFirst(entry.order.amount.major.count)
                    if text.hasPrefix(entry.order.amount.major), more.allSatisfy({ $0 == "0" || $0 == "." }) { return }
                    amount["amount"] = .string(text)
                    body["amount"] = .object(amount)
                    entry.body = JSON.object(body).bytes
                }
            },
            Mutant(
                "comma-cuts-the-cents", "reads the typed amount up to the separator: 1.10 is sent as 1",
                killedBy: ["invariant.pays-what-was-wished in pay.exact-amounts"], control: paying
            ) { parts, _ in
                parts.writes { order in
                    let whole = order.amount.currency.minorPerMajor
                    return order.amount.minorUnits < whole ? order : order.paying(order.amount.minorUnits / whole * whole)
                }
            },
            Mutant(
                "hundred-for-each-payment", "assumes two decimals for every currency in payments: 0.750 BHD is sent as 0.075",
                killedBy: [
                    "invariant.pays-what-was-wished in roundup.minor-units",
                    "invariant.pays-what-was-wished in pay.minor-units-of-the-currency",
                ], control: paying
            ) { parts, _ in
                parts.writes { $0.paying($0.amount.minorUnits * 100 / $0.amount.currency.minorPerMajor) }
            },
            Mutant(
                "resumes-with-another-amount", "resumes an open payment with the amount of the last payment",
                killedBy: ["invariant.pays-what-was-wished in pay.key-survives-kill"]
            ) { parts, start in
                guard start.resumed else { return }
                let calls = parts.payments
                parts.sends { entry in
                    entry.order = entry.order.paying(300)
                    entry.body = calls?.body(for: entry.order) ?? entry.body
                }
            },
            Mutant(
                "euros-by-region", "pays in the currency of the device's region, from the account in that currency",
                killedBy: ["invariant.pays-what-was-wished in pay.new-intent-new-key"]
            ) { parts, _ in
                parts.writes { order in
                    guard order.from == "ava-gbp", let euro = Currency("EUR") else { return order }
                    return PaymentOrder(
                        from: "ava-eur", to: order.to, amount: Money(minorUnits: order.amount.minorUnits, currency: euro))
                }
            },
            Mutant(
                "neighbour-is-paid", "is off by one in the list of payees, because it counts the heading as a row",
                killedBy: ["invariant.pays-what-was-wished in pay.new-intent-new-key"]
            ) { parts, _ in
                let next = [
                    "payee-lark": "payee-tallis",
                    "90a10a10-0000-4000-8000-000000000a11": "90a10a10-0000-4000-8000-000000000a12",
                ]
                parts.writes { PaymentOrder(from: $0.from, to: next[$0.to] ?? $0.to, amount: $0.amount) }
            },
            Mutant(
                "first-payee-is-paid", "pays the first payee and the first goal of the list, whichever was selected",
                killedBy: [
                    "invariant.pays-what-was-wished in pay.source-and-payee-as-named",
                    "invariant.pays-what-was-wished in pay.goal-as-named",
                ], control: paying
            ) { parts, _ in
                let first = [
                    "payee-tallis": "payee-lark", "payee-mum": "payee-lark",
                    "90a10a10-0000-4000-8000-000000000a12": "90a10a10-0000-4000-8000-000000000a11",
                ]
                parts.writes { PaymentOrder(from: $0.from, to: first[$0.to] ?? $0.to, amount: $0.amount) }
            },
            Mutant(
                "first-account-pays", "pays a round-up from the first account, whichever is shown",
                killedBy: ["invariant.pays-what-was-wished in roundup.exact-multiples"]
            ) { parts, _ in
                parts.writes { order in
                    let first = "5f1c0a10-0000-4000-8000-000000000d01"
                    return PaymentOrder(from: order.from.hasSuffix("d03") ? first : order.from, to: order.to, amount: order.amount)
                }
            },
            Mutant(
                "round-up-moves-another-sum", "shows the exact round-up and moves whole units",
                killedBy: ["invariant.pays-what-was-wished in roundup.sum"]
            ) { parts, _ in
                parts.client(moving: { shown in
                    let whole = shown.amount.currency.minorPerMajor
                    return shown.paying((shown.amount.minorUnits + whole - 1) / whole * whole)
                })
            },
        ]
    }
}

extension PaymentOrder {
    /// The same order of another amount in the same currency.
    func paying(_ minorUnits: Int64) -> PaymentOrder {
        PaymentOrder(from: from, to: to, amount: Money(minorUnits: minorUnits, currency: amount.currency))
    }
}
