import BankCore
import BankFiles
import BankModel
import Testing

@testable import BankGenerator

@Suite struct PeopleTests {
    @Test func `Ava and Ben are in every bank`() throws {
        let customers = try GeneratedFiles(1).library.load("counterfoil").bank.customers

        #expect(customers.map(\.login) == ["ava", "ben"])
        #expect(customers.map(\.password) == ["correct-horse", "battery-staple"])
        #expect(customers.first?.owns["accounts"]?.contains("ava-gbp") == true)
    }

    @Test func `people grow with the rows`() {
        let people = [1, 10_000, 1_000_000, 10_000_000].map { Population(rows: $0, seed: 7).people.count }

        #expect(people == [2, 12, 102, 318])
    }

    @Test func `logins and accounts are each one's own`() {
        let population = Population(rows: 10_000_000, seed: 7)

        #expect(Set(population.people.map(\.login)).count == population.people.count)
        #expect(Set(population.accounts.map(\.id)).count == population.accounts.count)
        #expect(population.people.flatMap { Array($0.accounts) } == Array(population.accounts.indices))
    }

    @Test(arguments: [0, 1, 3, 4, 99, 100, 999_999, 1_000_000, 10_000_000]) func `the root is rounded down`(_ number: Int) {
        let root = Population.squareRoot(of: number)

        #expect(root * root <= number)
        #expect((root + 1) * (root + 1) > number)
    }

    @Test func `every town has its price level`() {
        #expect(Town.all.map(\.currency).filter { PriceLevel.all[$0] == nil } == [])
    }

    @Test func `machines stand near places that there are`() throws {
        let machines = CashMachine.all(rows: 1_000_000, seed: 7)

        for (town, machines) in zip(Town.all, machines) {
            #expect(machines.count == town.landmarks.count * 20)
            for machine in machines {
                #expect(
                    town.landmarks.contains { abs($0.latitude - machine.latitude) <= 40 && abs($0.longitude - machine.longitude) <= 40 })
            }
        }
        let ids = machines.joined().map(\.id)
        #expect(Set(ids).count == ids.count)
    }

    @Test(arguments: [(514_491, "51.4491"), (-823, "-0.0823"), (-42, "-0.0042"), (0, "0.0000"), (1_397_006, "139.7006")])
    func `degrees keep their digits`(_ tenThousandths: Int, _ text: String) {
        #expect(CashMachine.degrees(tenThousandths) == text)
    }
}
