import BankModel
import Platform

extension SessionState {
    /// Filters the rows by their distance from a point; all of them remain if the query names neither.
    mutating func narrow(_ rows: inout RowList, _ near: RowsQuery.Near, _ scope: Scope) throws(RequestRejection) {
        let point = text(near.point, scope)
        let within = text(near.within, scope)
        guard let point, let within else {
            if point != nil || within != nil {
                throw RequestRejection(.badRequest, "found only one of near and within, expected both or neither")
            }
            return
        }
        let parts = point.split(separator: ",").compactMap { Double($0) }
        guard parts.count == 2, abs(parts[0]) <= 90, abs(parts[1]) <= 180 else {
            throw RequestRejection(.badRequest, "found near \"\(point)\", expected latitude,longitude in degrees")
        }
        guard let metres = Double(within), metres >= 0, metres.isFinite else {
            throw RequestRejection(.badRequest, "found within \"\(within)\", expected metres")
        }
        rows = rows.filtered { row in
            guard let latitude = field(near.latitude, of: row)?.number?.double,
                let longitude = field(near.longitude, of: row)?.number?.double
            else { return false }
            return distance(from: (parts[0], parts[1]), to: (latitude, longitude)) <= metres
        }
    }

    /// The distance in metres along the sphere (haversine, mean radius 6,371,008.8 m).
    private func distance(from a: (Double, Double), to b: (Double, Double)) -> Double {
        let radians = Double.pi / 180
        let halfLatitude = sin((b.0 - a.0) * radians / 2)
        let halfLongitude = sin((b.1 - a.1) * radians / 2)
        let square = halfLatitude * halfLatitude + cos(a.0 * radians) * cos(b.0 * radians) * halfLongitude * halfLongitude
        return 2 * 6_371_008.8 * asin(min(1, square.squareRoot()))
    }
}
