import BankModel

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// How long a delay is: always the same, drawn from a distribution, growing, or until somebody releases it.
enum Latency: Sendable, Hashable {
    case fixed(Duration)
    case uniform(from: Duration, to: Duration)
    /// Cut at zero and at `max`.
    case normal(mean: Duration, sigma: Duration, max: Duration)
    /// By its median and the deviation of its logarithm, cut at `max`: the usual shape of real latencies.
    case lognormal(median: Duration, sigma: Double, max: Duration)
    /// From one to the other over a time that begins with the rule.
    case ramp(from: Duration, to: Duration, over: Duration)
    case released

    /// The longest that is ever waited.
    static let longest = Duration.seconds(86_400)

    /// Reads the one of its names that stands in a delay's settings; nil and a complaint otherwise.
    init?(_ fields: Fields, _ complaints: Complaints) {
        let names = ["fixed", "uniform", "normal", "lognormal", "ramp", "until"]
        let given = names.compactMap { name in fields[name].map { (name, $0) } }
        guard given.count == 1, let (name, node) = given.first else {
            complaints.add(
                found: given.isEmpty ? "no length" : given.map { "`\($0.0)`" }.joined(separator: " and "),
                expected: "one of \(names.joined(separator: ", "))", at: fields.node.place)
            return nil
        }
        switch name {
        case "fixed":
            guard let duration = node.duration(complaints) else { return nil }
            self = .fixed(duration)
        case "until":
            guard node.scalar == "released" else {
                complaints.add(found: node.kindName, expected: "released", at: node.place)
                return nil
            }
            self = .released
        default:
            let inner = Fields(node, of: "`\(name)`", complaints)
            defer { inner.finish() }
            guard let latency = Latency(name, inner, complaints) else { return nil }
            self = latency
        }
    }

    private init?(_ name: String, _ fields: Fields, _ complaints: Complaints) {
        func duration(_ key: String) -> Duration? { fields.required(key)?.duration(complaints) }
        let max = fields["max"].map { $0.duration(complaints) } ?? Latency.longest
        switch name {
        case "uniform":
            guard let from = duration("from"), let to = duration("to") else { return nil }
            guard from <= to else {
                complaints.add(
                    found: "from \(from.shortText) to \(to.shortText)", expected: "`from` not greater than `to`", at: fields.node.place)
                return nil
            }
            self = .uniform(from: from, to: to)
        case "ramp":
            guard let from = duration("from"), let to = duration("to"), let over = duration("over") else { return nil }
            self = .ramp(from: from, to: to, over: over)
        case "normal":
            guard let mean = duration("mean"), let sigma = duration("sigma"), let max else { return nil }
            self = .normal(mean: mean, sigma: sigma, max: max)
        default:
            guard let median = duration("median"), let sigma = fields.required("sigma")?.double(in: 0...10, complaints), let max else {
                return nil
            }
            self = .lognormal(median: median, sigma: sigma, max: max)
        }
    }

    /// How long this one is.
    func wait(_ context: StrikeContext) -> Wait {
        var random = context.random
        func seconds(_ duration: Duration) -> Double { Double(duration.nanoseconds) / 1e9 }
        func between(_ value: Double, _ most: Duration) -> Wait {
            .duration(.nanoseconds(Int64(min(max(value, 0), seconds(min(most, Latency.longest))) * 1e9)))
        }
        switch self {
        case .released: return .released
        case .fixed(let duration): return .duration(min(duration, Latency.longest))
        case .uniform(let from, let to): return between(seconds(from) + random.fraction() * (seconds(to) - seconds(from)), to)
        case .normal(let mean, let sigma, let most): return between(seconds(mean) + random.normal() * seconds(sigma), most)
        case .lognormal(let median, let sigma, let most): return between(seconds(median) * exp(random.normal() * sigma), most)
        case .ramp(let from, let to, let over):
            let share = over == .zero ? 1 : min(1, seconds(context.elapsed) / seconds(over))
            return between(seconds(from) + share * (seconds(to) - seconds(from)), max(from, to))
        }
    }

    /// As it is written.
    var member: (String, JSON) {
        func text(_ duration: Duration) -> JSON { .string(duration.shortText) }
        func number(_ value: Double) -> JSON { JSONNumber(String(value)).map(JSON.number) ?? .null }
        switch self {
        case .released: return ("until", "released")
        case .fixed(let duration): return ("fixed", text(duration))
        case .uniform(let from, let to): return ("uniform", ["from": text(from), "to": text(to)])
        case .normal(let mean, let sigma, let max): return ("normal", ["mean": text(mean), "sigma": text(sigma), "max": text(max)])
        case .lognormal(let median, let sigma, let max):
            return ("lognormal", ["median": text(median), "sigma": number(sigma), "max": text(max)])
        case .ramp(let from, let to, let over): return ("ramp", ["from": text(from), "to": text(to), "over": text(over)])
        }
    }
}

extension SeededGenerator {
    /// From 0 up to 1.
    fileprivate mutating func fraction() -> Double { Double(next() >> 11) / Double(1 << 53) }

    /// A normal variate with mean 0 and deviation 1 (Box and Muller 1958).
    fileprivate mutating func normal() -> Double {
        let radius = (-2 * log(1 - fraction())).squareRoot()
        return radius * cos(2 * Double.pi * fraction())
    }
}
