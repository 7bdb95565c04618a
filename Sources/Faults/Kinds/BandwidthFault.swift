package import BankModel

/// The whole connection is slow, both ways.
package struct BandwidthFault: ConnectionFault {
    package static let kind = "bandwidth"
    package static let about = "the whole connection is slow, both ways"
    package static let example = #"{"bytes_per_second": 20000}"#
    package let point = FaultPoint.connect

    let bytesPerSecond: Int

    package init?(_ fields: Fields, _ complaints: Complaints) {
        guard let rate = fields.required("bytes_per_second")?.int(in: 1...(1 << 30), complaints) else { return nil }
        bytesPerSecond = rate
    }

    package func strike(_ context: StrikeContext) -> ConnectionStrike { .bandwidth(bytesPerSecond: bytesPerSecond) }

    package var settings: JSON { ["bytes_per_second": .int(bytesPerSecond)] }
}
