/// A cash machine of a generated bank.
struct CashMachine: Sendable {
    let id: String
    let name: String
    let address: String
    /// Degrees north, in ten-thousandths.
    let latitude: Int
    /// Degrees east, in ten-thousandths.
    let longitude: Int
    let services: [String]

    /// The machines of every town, in the order of ``Town/all``.
    ///
    /// - Parameter rows: the number of transactions; at each landmark stand one to twenty machines, twenty from a million on.
    static func all(rows: Int, seed: UInt64) -> [[CashMachine]] {
        var dice = Dice(seed, for: "machines")
        return Town.all.map { town in
            var machines: [CashMachine] = []
            for landmark in town.landmarks {
                for number in 1...1 + min(19, rows / 50_000) {
                    machines.append(
                        CashMachine(
                            id: "atm-\(town.slug)-\(machines.count + 1)", name: number == 1 ? landmark.name : "\(landmark.name) \(number)",
                            address: "\(dice.within(1...240)) \(dice.pick(town.streets)), \(town.name)",
                            // About 450 m to each side.
                            latitude: landmark.latitude + dice.within(-40...40), longitude: landmark.longitude + dice.within(-40...40),
                            services: ["cash"] + ["balance", "deposit", "contactless"].filter { _ in dice.chance(perMille: 400) }))
                }
            }
            return machines
        }
    }

    /// Degrees with their four digits, such as `-0.0823`.
    static func degrees(_ tenThousandths: Int) -> String {
        let magnitude = String(tenThousandths.magnitude)
        let padded = String(repeating: "0", count: max(0, 5 - magnitude.count)) + magnitude
        return "\(tenThousandths < 0 ? "-" : "")\(padded.dropLast(4)).\(padded.suffix(4))"
    }
}
