/// A real city with places where cash machines may stand.
struct Town: Sendable {
    let name: String
    /// Its name in ids: small letters only.
    let slug: String
    /// The local currency (ISO 4217).
    let currency: String
    let streets: [String]
    let landmarks: [Landmark]
}

/// A square, a station or a quarter of a town.
struct Landmark: Sendable {
    let name: String
    /// Degrees north of the equator, in ten-thousandths (about 11 m).
    let latitude: Int
    /// Degrees east of Greenwich, in ten-thousandths.
    let longitude: Int

    init(_ name: String, _ latitude: Int, _ longitude: Int) {
        self.name = name
        self.latitude = latitude
        self.longitude = longitude
    }
}
