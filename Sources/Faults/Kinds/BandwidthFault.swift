package import BankModel

/// The whole connection is slow, both ways.
package struct BandwidthFault: ConnectionFault {
    package static let kind = "bandwidth"
    package static let about = "limits the speed of the connection in both directions"
    package static let effects: Set<FaultEffect> = [.wholeResponse, .delaysConnection]
    package static let example = #"{"bytes_per_second": 20000}"#
    package static let fields: [any AnyField] = [rate]
    package let point = FaultPoint.connect

    private static let rate = Field(
        required: "bytes_per_second", .int(in: 1...(1 << 30)), "the rate in each direction, in bytes per second")

    let bytesPerSecond: Int

    package init?(_ fields: Fields, _ complaints: Complaints) {
        guard let rate = fields[Self.rate] else { return nil }
        bytesPerSecond = rate
    }

    package func apply(_ context: FaultContext) -> ConnectionEffect { .bandwidth(bytesPerSecond: bytesPerSecond) }

    package var settings: JSON { .object(JSONObject([Self.rate.member(bytesPerSecond)])) }
}
