import BankModel

/// A bank that is made from a seed: the model bank's operations over people, accounts and transactions that are drawn.
///
/// Nothing in it is derived from the clock or the machine. Balances do not follow from the transactions, and of a movement
/// between two accounts of the bank only one side is listed.
package struct GeneratedBank: Sendable {
    private let spec: BankSpec
    private let population: Population
    private let machines: [[CashMachine]]

    package init(_ spec: BankSpec) {
        self.spec = spec
        population = Population(rows: spec.rows, seed: spec.seed)
        machines = CashMachine.all(rows: spec.rows, seed: spec.seed)
    }

    /// How many customers it has.
    package var people: Int { population.people.count }

    /// How many accounts they have.
    package var accounts: Int { population.accounts.count }

    /// The rows of `transactions.json`.
    package var transactions: TransactionStream { TransactionStream(spec, population, machines) }

    /// The files of the bank's folder but `transactions.json` and its images, each with its name.
    ///
    /// - Parameter model: the model bank's `bank.yaml`, of which all is kept but the bank's name and its customers.
    /// - Throws: ``BankSpecError`` if the model lacks a part that is to be replaced.
    package func files(model: String) throws(BankSpecError) -> [(name: String, bytes: [UInt8])] {
        [
            ("bank.yaml", Array(try DefinitionText(spec, population).text(model: model).utf8)), ("accounts.json", rows(accountRows)),
            ("atms.json", rows(machineRows)), ("payees.json", rows(payeeRows)), ("goals.json", rows(goalRows)),
            ("openings.json", rows(openingRows)), ("new-payees.json", rows([GeneratedBank.newPayeeRow])),
        ]
    }

    /// One row a line, as the fixtures written by hand have it.
    private func rows(_ rows: [JSON]) -> [UInt8] { Array("[\n\(rows.map { "  \($0.text)" }.joined(separator: ",\n"))\n]\n".utf8) }

    // MARK: fixtures

    private var accountRows: [JSON] {
        population.accounts.map { account in
            .object([
                "id": .string(account.id), "name": .string(account.name), "type": .string(account.isSavings ? "savings" : "current"),
                "currency": .string(account.level.currency.code), "balance": account.level.json(account.balance),
                "available": account.level.json(account.balance - account.reserved),
            ])
        }
    }

    private var machineRows: [JSON] {
        machines.joined().map { machine in
            .object([
                "id": .string(machine.id), "name": .string(machine.name), "address": .string(machine.address),
                "location": .object(["lat": degrees(machine.latitude), "lng": degrees(machine.longitude)]),
                "services": .array(machine.services.map(JSON.string)),
            ])
        }
    }

    private func degrees(_ tenThousandths: Int) -> JSON {
        JSONNumber(CashMachine.degrees(tenThousandths)).map(JSON.number) ?? .null
    }

    private var payeeRows: [JSON] {
        population.people.flatMap { person in
            person.payees.map { payee in
                .object([
                    "id": .string(payee.id), "_customer": .string(person.login), "name": .string(payee.name),
                    "account_number": .string(payee.number),
                ])
            }
        }
    }

    /// The model bank's: a second person authorises payments to it.
    private static let newPayeeRow: JSON = [
        "id": "payee-noor", "_customer": "ava", "name": "Noor Joinery", "account_number": "60-09-18 44120087",
    ]

    /// One for each customer's first account; Ava's is the model bank's.
    private var goalRows: [JSON] {
        population.people.map { person in
            let account = population.accounts[person.accounts.lowerBound]
            return .object([
                "id": .string(person.login == "ava" ? "goal-rainy" : "goal-\(person.login)"), "_account": .string(account.id),
                "name": "Rainy day ☔", "saved": account.level.json(account.balance / 20),
                "target": account.level.json(account.balance / 4),
            ])
        }
    }

    private var openingRows: [JSON] {
        population.accounts.map { .object(["account": .string($0.id), "saved": $0.level.json(0)]) }
    }
}

/// The parameters of a generated bank; equal specs give equal bytes everywhere.
package struct BankSpec: Sendable, Hashable {
    /// The bank's name and its folder's.
    package let name: String
    /// How many transactions it has; all else grows with them.
    package let rows: Int
    /// Decides everything that is drawn.
    package let seed: UInt64
    /// Whether some dates are in forms that a strict client must survive or set aside.
    package let oddDates: Bool

    /// How many transactions a bank may have.
    package static let rowLimits = 1...10_000_000

    /// - Throws: ``BankSpecError`` if there are too few rows, or too many.
    package init(name: String, rows: Int, seed: UInt64, oddDates: Bool = false) throws(BankSpecError) {
        guard BankSpec.rowLimits.contains(rows) else { throw .rows(rows) }
        self.name = name
        self.rows = rows
        self.seed = seed
        self.oddDates = oddDates
    }
}

/// Why no bank can be made.
package enum BankSpecError: Error, Sendable, Hashable, CustomStringConvertible {
    /// A number of transactions beyond the limits.
    case rows(Int)
    /// The model bank's definition lacks a part that is to be replaced.
    case noSection(String)

    package var description: String {
        switch self {
        case .rows(let found): "found \(found) rows, expected 1 to 10,000,000"
        case .noSection(let name): "found no top-level key `\(name)` in the model bank's bank.yaml, expected exactly one"
        }
    }
}
