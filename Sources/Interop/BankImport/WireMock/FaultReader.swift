import BankModel

/// Reads a mapping's faults and delays as rules.
struct FaultReader {
    let notes: Notes

    /// The faults of the operation, each `{fault: …}`, at most one per point.
    func rules(_ response: LocatedJSON) -> [JSON] {
        let delay = self.delay(response)
        let slow = response["chunkedDribbleDelay"].flatMap(dribble)
        guard let piece = response["fault"], let name = notes.text(piece) else {
            return (delay.map { [rule("delay", $0)] } ?? []) + (slow.map { [rule("slow", $0)] } ?? [])
        }
        guard let (kind, settings) = FaultReader.faults[name] else {
            return notes.wrong(piece, expected: oneOf(FaultReader.faults.keys.sorted())) ?? []
        }
        if let dribble = response["chunkedDribbleDelay"] {
            notes.cannot(.ignored, dribble, "a response with a fault has no body to dribble")
        }
        guard let delay else { return [rule(kind, settings)] }
        if let fixed = delay["fixed"] { return [["fault": .object(JSONObject([(kind, settings), ("after", fixed)]))]] }
        notes.cannot(.ignored, response["delayDistribution"] ?? piece, "a fault has a fixed delay, not a random one")
        return [rule(kind, settings)]
    }

    /// WireMock's `Fault`.
    private static let faults: [String: (String, JSON)] = [
        "EMPTY_RESPONSE": ("close", [:]),
        "MALFORMED_RESPONSE_CHUNK": ("bad-chunk", ["how": "size"]),
        "RANDOM_DATA_THEN_CLOSE": ("garbage", ["random": 100]),
        "CONNECTION_RESET_BY_PEER": ("reset", [:]),
    ]

    private func rule(_ kind: String, _ settings: JSON) -> JSON { ["fault": .object(JSONObject([(kind, settings)]))] }

    // MARK: delays

    private func delay(_ response: LocatedJSON) -> JSON? {
        let fixed = response["fixedDelayMilliseconds"].flatMap { piece in notes.double(piece).flatMap { milliseconds($0, piece) } }
        guard let piece = response["delayDistribution"] else {
            return fixed.flatMap { $0 == "0ms" ? nil : ["at_point": "head", "fixed": .string($0)] }
        }
        if fixed != nil, fixed != "0ms", let second = response["fixedDelayMilliseconds"] {
            notes.cannot(.ignored, second, "an operation has one delay: that of delayDistribution is used")
        }
        return distribution(piece).map { .object(JSONObject([("at_point", "head"), $0])) }
    }

    private func distribution(_ piece: LocatedJSON) -> (key: String, value: JSON)? {
        func time(_ key: String) -> JSON? {
            guard let member = piece[key] else { return notes.wrong(piece, expected: "`\(key)`, in milliseconds") }
            return notes.double(member).flatMap { milliseconds($0, member) }.map(JSON.string)
        }
        switch piece["type"]?.json.string {
        case "fixed":
            return time("milliseconds").map { ("fixed", $0) }
        case "uniform":
            guard let from = time("lower"), let to = time("upper") else { return nil }
            return ("uniform", ["from": from, "to": to])
        case "lognormal":
            guard let median = time("median"), let sigma = piece["sigma"]?.json.number else {
                return piece["sigma"] == nil ? notes.wrong(piece, expected: "`sigma`") : nil
            }
            guard (0...10).contains(sigma.double) else {
                notes.cannot(.ignored, piece, "sigma is from 0 to 10")
                return nil
            }
            var settings = JSONObject([("median", median), ("sigma", .number(sigma))])
            if piece["maxValue"] != nil { settings["max"] = time("maxValue") }
            return ("lognormal", .object(settings))
        default:
            notes.cannot(.ignored, piece, "only the distributions fixed, uniform and lognormal are supported")
            return nil
        }
    }

    private func dribble(_ piece: LocatedJSON) -> JSON? {
        guard let chunks = piece["numberOfChunks"].flatMap(notes.int), let total = piece["totalDuration"],
            let duration = notes.double(total).flatMap({ milliseconds($0, total) })
        else { return notes.wrong(piece, expected: "`numberOfChunks` and `totalDuration`") }
        guard (1...100_000).contains(chunks) else {
            notes.cannot(.ignored, piece, "a body is sent in 1 to 100,000 pieces")
            return nil
        }
        return ["chunks": .int(chunks), "over": .string(duration)]
    }

    /// A whole number of milliseconds, as our files write it.
    private func milliseconds(_ value: Double, _ piece: LocatedJSON) -> String? {
        guard value >= 0, value <= 86_400_000 else {
            notes.cannot(.ignored, piece, "a delay is from 0 to 1 day")
            return nil
        }
        return Duration.milliseconds(Int64(value.rounded())).shortText
    }
}
