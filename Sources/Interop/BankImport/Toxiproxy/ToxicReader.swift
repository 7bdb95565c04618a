import BankModel

/// Reads one proxy's toxics as rules.
struct ToxicReader {
    let notes: ImportNotes

    /// The largest attribute that is taken: in milliseconds 34 years. A million times as much is a number yet.
    private static let largest = 1 << 40

    /// A toxic as a fault, and the point at which it applies.
    private typealias PlacedFault = (point: String, fault: JSON)

    /// The rules of a proxy, at each point one.
    func rules(_ proxy: LocatedJSON) -> [JSON] {
        if proxy["enabled"]?.json == false {
            for toxic in proxy["toxics"]?.elements ?? [] {
                notes.warn(.ignored, toxic, "the proxy is down, so the toxic has no effect")
            }
            return [["fault": "refuse"]]
        }
        var taken: Set<String> = []
        return (proxy["toxics"]?.elements ?? []).compactMap { toxic in
            guard let placed = placedFault(toxic), let share = share(toxic) else { return nil }
            guard taken.insert(placed.point).inserted else {
                return notes.nothing(.ignored, toxic, "at each point (here: \(placed.point)) only the first rule applies")
            }
            return .object(known: ["fault": placed.fault, "probability": share == JSONNumber(1) ? nil : .number(share)])
        }
    }

    /// Toxicity, which is rolled once a connection there, and once a request here.
    private func share(_ toxic: LocatedJSON) -> JSONNumber? {
        guard let piece = toxic["toxicity"] else { return JSONNumber(1) }
        guard let share = piece.json.number, (0...1).contains(share.double) else {
            return notes.wrong(piece, expected: "a number from 0 to 1")
        }
        guard share.double > 0 else { return notes.nothing(.ignored, toxic, "a toxicity of 0: it never applies") }
        if share.double < 1 { notes.warn(.approximate, piece, "drawn for each request, not once per connection") }
        return share
    }

    private func placedFault(_ toxic: LocatedJSON) -> PlacedFault? {
        guard let type = toxic["type"] else { return notes.wrong(toxic, expected: "a toxic with `type`") }
        let isUpstream = toxic["stream"]?.json == "upstream"
        switch type.json.string {
        case "latency": return latency(toxic, isUpstream: isUpstream)
        case "bandwidth": return bandwidth(toxic)
        case "timeout": return cut(toxic, by: "close", isUpstream: isUpstream)
        case "reset_peer": return cut(toxic, by: "reset", isUpstream: isUpstream)
        case "slicer": return slicer(toxic)
        case "limit_data": return limit(toxic, isUpstream: isUpstream)
        case "slow_close": return notes.nothing(.ignored, toxic, "a complete response with a late close of the connection is not supported")
        default:
            let known = "latency, bandwidth, slow_close, timeout, reset_peer, slicer and limit_data"
            return notes.nothing(.ignored, type, "known toxics are \(known)")
        }
    }

    /// A number among the attributes; 0 if it is missing, as there.
    private func attribute(_ name: String, of toxic: LocatedJSON) -> Int? {
        guard let piece = toxic["attributes"]?[name] else { return 0 }
        guard let number = notes.int(piece) else { return nil }
        if number < 0 { return notes.wrong(piece, expected: "a number of at least 0") }
        return number <= ToxicReader.largest ? number : notes.wrong(piece, expected: "a number up to \(ToxicReader.largest)")
    }

    private func text(_ milliseconds: Int) -> JSON { .string(Duration.milliseconds(Int64(milliseconds)).shortText) }

    // MARK: kinds

    private func latency(_ toxic: LocatedJSON, isUpstream: Bool) -> PlacedFault? {
        guard let latency = attribute("latency", of: toxic), let jitter = attribute("jitter", of: toxic) else { return nil }
        guard latency + jitter > 0 else { return notes.nothing(.ignored, toxic, "no latency") }
        let point = isUpstream ? "request" : "head"
        if jitter == 0 { return (point, ["delay": ["at_point": .string(point), "fixed": text(latency)]]) }
        let span: JSON = ["from": text(max(0, latency - jitter)), "to": text(latency + jitter)]
        return (point, ["delay": ["at_point": .string(point), "uniform": span]])
    }

    private func bandwidth(_ toxic: LocatedJSON) -> PlacedFault? {
        guard let rate = attribute("rate", of: toxic) else { return nil }
        guard rate > 0 else { return notes.nothing(.ignored, toxic, "a rate of 0; nothing at all is the fault `blackhole`") }
        notes.warn(.approximate, toxic, "both directions are slow, not one")
        return ("connect", ["bandwidth": ["bytes_per_second": .int(min(rate * 1000, 1 << 30))]])
    }

    /// `timeout` and `reset_peer`. A response cut downstream was executed: `lose-reply`.
    private func cut(_ toxic: LocatedJSON, by way: String, isUpstream: Bool) -> PlacedFault? {
        guard let after = attribute("timeout", of: toxic) else { return nil }
        // A timeout of 0 never ends; a reset of 0 is at once.
        let way = way == "close" && after == 0 ? "hang" : way
        let settings: JSON = isUpstream ? [:] : ["by": .string(way)]
        let fault = JSON.object(known: [isUpstream ? way : "lose-reply": settings, "after": after > 0 ? text(after) : nil])
        return (isUpstream ? "request" : "commit", fault)
    }

    private func slicer(_ toxic: LocatedJSON) -> PlacedFault? {
        guard let size = attribute("average_size", of: toxic), let delay = attribute("delay", of: toxic) else { return nil }
        guard size > 0, delay > 0 else { return notes.nothing(.ignored, toxic, "slices without a pause are not supported") }
        notes.warn(.approximate, toxic, "the body is sent at the rate of slices of \(size) bytes each \(delay) µs, but not in slices")
        return ("body", ["slow": ["bytes_per_second": .int(min(max(1, size * 1_000_000 / delay), 1 << 30))]])
    }

    private func limit(_ toxic: LocatedJSON, isUpstream: Bool) -> PlacedFault? {
        guard let bytes = attribute("bytes", of: toxic) else { return nil }
        guard !isUpstream else { return notes.nothing(.ignored, toxic, "a truncated request is not supported") }
        notes.warn(
            .approximate, toxic, "only the bytes of each body are counted, not those of heads and other responses of the connection")
        return ("body", ["truncate": ["at": .int(bytes), "framing": "short"]])
    }
}
