import BankModel
import Platform

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

    /// The longest wait.
    static let longest = Duration.seconds(86_400)

    /// The wait of one exchange.
    func wait(_ context: FaultContext) -> Wait {
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

/// How a delay's length is written: one key for each kind.
extension Latency {
    static let fields: [Field<Latency>] = [
        Field("fixed", Format(durations.schema, read: { durations.read($0, $1).map(Latency.fixed) }), "a fixed time"),
        Field("uniform", .object(Uniform.schema, read: Uniform.read), "a uniformly distributed time between two limits"),
        Field("normal", .object(Normal.schema, read: Normal.read), "a normally distributed time, limited to between zero and `max`"),
        Field(
            "lognormal", .object(LogNormal.schema, read: LogNormal.read),
            "a log-normally distributed time, as real latencies usually are, limited to `max`"),
        Field("ramp", .object(Ramp.schema, read: Ramp.read), "a time that grows or shrinks after the rule is set"),
        Field(
            "until", Format(.words(["released"]), read: { $0.scalar == "released" ? .released : $0.wrong($1, "released") }),
            "until the session's held requests are released"),
    ]

    /// As it is written.
    var member: (key: String, value: JSON) {
        switch self {
        case .released: ("until", "released")
        case .fixed(let duration): ("fixed", .string(duration.shortText))
        case .uniform(let from, let to): ("uniform", .object(JSONObject([Uniform.from.member(from), Uniform.to.member(to)])))
        case .normal(let mean, let sigma, let max):
            ("normal", .object(JSONObject([Normal.mean.member(mean), Normal.sigma.member(sigma), Latency.limit.member(max)])))
        case .lognormal(let median, let sigma, let max):
            ("lognormal", .object(JSONObject([LogNormal.median.member(median), LogNormal.sigma.member(sigma), Latency.limit.member(max)])))
        case .ramp(let from, let to, let over):
            ("ramp", .object(JSONObject([Ramp.from.member(from), Ramp.to.member(to), Ramp.over.member(over)])))
        }
    }

    private static let durations = Format<Duration>.duration

    fileprivate static let limit = Field("max", .duration, default: longest, "the longest time")
}

private enum Uniform {
    static let from = Field(required: "from", .duration, "the shortest time")
    static let to = Field(required: "to", .duration, "the longest time")
    static let schema = ObjectSchema(
        "`uniform`", "A uniformly distributed time.", fields: [from, to], example: "uniform: {from: 10ms, to: 50ms}")

    @Sendable static func read(_ fields: Fields, _ complaints: Complaints) -> Latency? {
        guard let from = fields[from], let to = fields[to] else { return nil }
        guard from <= to else {
            complaints.add(
                found: "from \(from.shortText) to \(to.shortText)", expected: "`from` not greater than `to`", at: fields.node.position)
            return nil
        }
        return .uniform(from: from, to: to)
    }
}

private enum Normal {
    static let mean = Field(required: "mean", .duration, "the mean")
    static let sigma = Field(required: "sigma", .duration, "the standard deviation")
    static let schema = ObjectSchema(
        "`normal`", "A normal distribution.", fields: [mean, sigma, Latency.limit], example: "normal: {mean: 100ms, sigma: 20ms, max: 1s}")

    @Sendable static func read(_ fields: Fields, _ complaints: Complaints) -> Latency? {
        guard let mean = fields[mean], let sigma = fields[sigma], let max = fields[Latency.limit] else { return nil }
        return .normal(mean: mean, sigma: sigma, max: max)
    }
}

private enum LogNormal {
    static let median = Field(required: "median", .duration, "the median")
    static let sigma = Field(required: "sigma", .double(in: 0...10), "the standard deviation of the logarithm")
    static let schema = ObjectSchema(
        "`lognormal`", "A lognormal distribution.", fields: [median, sigma, Latency.limit],
        example: "lognormal: {median: 90ms, sigma: 0.4, max: 5s}")

    @Sendable static func read(_ fields: Fields, _ complaints: Complaints) -> Latency? {
        guard let median = fields[median], let sigma = fields[sigma], let max = fields[Latency.limit] else { return nil }
        return .lognormal(median: median, sigma: sigma, max: max)
    }
}

private enum Ramp {
    static let from = Field(required: "from", .duration, "the value when the rule is set")
    static let to = Field(required: "to", .duration, "the value at the end, and from then on")
    static let over = Field(required: "over", .duration, "the time that the change takes")
    static let schema = ObjectSchema(
        "`ramp`", "A time that grows or shrinks.", fields: [from, to, over], example: "ramp: {from: 0ms, to: 2s, over: 5m}")

    @Sendable static func read(_ fields: Fields, _ complaints: Complaints) -> Latency? {
        guard let from = fields[from], let to = fields[to], let over = fields[over] else { return nil }
        return .ramp(from: from, to: to, over: over)
    }
}
