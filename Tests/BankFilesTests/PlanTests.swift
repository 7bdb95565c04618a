import BankFiles
import BankModel
import Faults
import TestBanks
import Testing

@Suite struct PlanTests {
    static let names = [
        "auth-down", "blackout", "brownout", "certificate-expired", "flapping", "half-open", "maintenance", "rate-squeeze", "read-only",
        "slow", "split-brain", "token-storm",
    ]

    /// The complaints of a file `Stubs/outages/<name>.yaml`.
    private func complaints(_ yaml: String, name: String = "mine") -> [String] {
        do {
            _ = try library([name: yaml]).load(name)
            return []
        } catch {
            return error.complaints.map(\.description)
        }
    }

    private func library(_ plans: [String: String]) -> PlanLibrary {
        let files = Dictionary(uniqueKeysWithValues: plans.map { ("outages/\($0.key).yaml", $0.value) })
        return PlanLibrary(stubs: "Stubs", files: TestFiles(files).library.files)
    }

    @Test func `all shipped plans are valid and in the guide`() throws {
        let complaints = Complaints()
        let plans = PlanLibrary(stubs: Shipped.stubs).check(complaints)
        let guide = String(decoding: try FileReader.disk.read(named: "\(Shipped.stubs)/../docs/faults.md"), as: UTF8.self)

        #expect(complaints.all.map(\.description) == [])
        #expect(plans.map(\.name) == PlanTests.names)
        for name in plans.map(\.name) { #expect(guide.contains("| `\(name)` |"), "\(name) is not in the guide") }
    }

    @Test func `flapping fails and is well twenty seconds each`() throws {
        let plan = try PlanLibrary(stubs: Shipped.stubs).load("flapping")

        #expect(plan.entries.map(\.at) == (0..<4).map { .seconds(40 * $0) })
        #expect(plan.entries.allSatisfy { $0.length == .seconds(20) })
    }

    @Test(arguments: names)
    func `random decisions have a seed`(_ name: String) throws {
        let text = String(decoding: try FileReader.disk.read(named: "\(Shipped.stubs)/outages/\(name).yaml"), as: UTF8.self)
        let draws = ["probability:", "lognormal:", "uniform:", "normal:"].contains(where: text.contains)

        let plan = try PlanLibrary(stubs: Shipped.stubs).load(name)

        #expect((plan.seed != nil) == draws)
    }

    @Test(arguments: names)
    func `a plan shown is read back as the same`(_ name: String) throws {
        let plan = try PlanLibrary(stubs: Shipped.stubs).load(name)
        var members = try #require(plan.json.object)
        members["name"] = nil

        let again = try Complaints.collecting { complaints in Plan(Node(.object(members)), name: name, complaints) }

        #expect(again.json == plan.json)
    }

    @Test func `an example of the guide is a valid plan`() throws {
        let guide = String(decoding: try FileReader.disk.read(named: "\(Shipped.stubs)/../docs/faults.md"), as: UTF8.self)
        let example = try #require(guide.split(separator: "```yaml\n").first { $0.hasPrefix("about: Slow") }?.split(separator: "```").first)

        #expect(complaints(String(example)) == [])
    }

    @Test(arguments: [
        (
            "about: A.\nentries:\n- for: 2m\n  rules: [{fault: close}]\n- at: 1m\n  rules: [{fault: reset}]\n",
            "Stubs/outages/mine.yaml:5:3: entry 2 (at 1m) overlaps entry 1 (at 0ms for 2m); expected it to begin after that one, "
                + "or its rules in one entry"
        ),
        (
            "about: A.\nentries:\n- rules: [{fault: close}]\n- rules: [{fault: reset}]\n",
            "Stubs/outages/mine.yaml:4:3: entry 2 (at 0ms) overlaps entry 1 (at 0ms); expected it to begin after that one, "
                + "or its rules in one entry"
        ),
        (
            "about: A.\nsede: 1\nentries: [{tokens: expire}]\n",
            "Stubs/outages/mine.yaml:2:1: unknown key `sede` in a plan; did you mean `seed`?"
        ),
        (
            "about: A.\nentries: [{tokens: expire, rule: []}]\n",
            "Stubs/outages/mine.yaml:2:28: unknown key `rule` in an entry of a plan; did you mean `rules`?"
        ),
        ("entries: [{tokens: expire}]\n", "Stubs/outages/mine.yaml:1:1: `about` is missing in a plan"),
        ("about: A.\nentries: []\n", "Stubs/outages/mine.yaml:2:10: a plan needs at least one entry"),
        (
            "about: A.\nentries: [{at: 1m}]\n",
            "Stubs/outages/mine.yaml:2:11: an entry needs `rules` or `tokens: expire`"
        ),
        ("about: A.\nentries: [{tokens: revoke}]\n", "Stubs/outages/mine.yaml:2:20: found `revoke`, expected expire"),
    ])
    func `a fault is reported with its position`(_ yaml: String, _ expected: String) {
        #expect(complaints(yaml) == [expected])
    }

    @Test func `an unknown fault in a plan names the nearest`() {
        let found = complaints("about: A.\nentries: [{rules: [{fault: clsoe}]}]\n")

        #expect(found.count == 1, "\(found)")
        #expect(found.first?.hasSuffix("did you mean `close`?") == true, "\(found)")
    }

    @Test func `an unknown name names the known and the nearest`() {
        let library = library(["storm": "about: A.\nentries: [{tokens: expire}]\n", "calm": ""])

        #expect(throws: ComplaintsError.self) { try library.load("strom") }
        do {
            _ = try library.load("strom")
        } catch {
            #expect(error.description == "Stubs/outages: found the outage `strom`, expected calm or storm; did you mean `storm`?")
        }
    }

    @Test func `a path is read wherever it is`() throws {
        let library = library(["storm": "about: A.\nentries: [{tokens: expire}]\n"])

        #expect(try library.load("Stubs/outages/storm.yaml").name == "storm")
        #expect(throws: ComplaintsError.self) { try library.load("Stubs/outages/nothing.yaml") }
    }

    @Test func `a faulty plan is reported and the others are given`() {
        let complaints = Complaints()

        let plans = library(["good": "about: A.\nentries: [{tokens: expire}]\n", "bad": "about: A.\n"]).check(complaints)

        #expect(plans.map(\.name) == ["good"])
        #expect(complaints.all.map(\.description) == ["Stubs/outages/bad.yaml:1:1: `entries` is missing in a plan"])
    }
}
