extension Town {
    /// Cities and places that there are, none nearer to open water than the machines are scattered around it; the banks and
    /// their machines are made up. The first is where Ava and Ben live.
    static let all: [Town] = [
        Town(
            name: "Bristol", slug: "bristol", currency: "GBP", streets: ["Victoria Street", "Park Row", "North Street", "Stokes Croft"],
            landmarks: [
                Landmark("Temple Meads", 514_491, -25_813), Landmark("Broadmead", 514_585, -25_880), Landmark("Clifton", 514_627, -26_213),
                Landmark("Bedminster", 514_410, -25_950),
            ]),
        Town(
            name: "London", slug: "london", currency: "GBP", streets: ["High Street", "Station Road", "Church Street", "Market Row"],
            landmarks: [
                Landmark("Liverpool Street", 515_178, -823), Landmark("King's Cross", 515_308, -1238), Landmark("Brixton", 514_627, -1145),
                Landmark("Stratford", 515_416, -42), Landmark("Shoreditch", 515_265, -783),
            ]),
        Town(
            name: "Edinburgh", slug: "edinburgh", currency: "GBP", streets: ["Leith Walk", "Nicolson Street", "Morningside Road"],
            landmarks: [
                Landmark("Waverley", 559_520, -31_900), Landmark("Haymarket", 559_457, -32_183), Landmark("Morningside", 559_275, -32_100),
            ]),
        Town(
            name: "Dublin", slug: "dublin", currency: "EUR", streets: ["Dorset Street", "Camden Street", "Thomas Street"],
            landmarks: [
                Landmark("Connolly", 533_531, -62_459), Landmark("St Stephen's Green", 533_390, -62_613),
                Landmark("Smithfield", 533_489, -62_786),
            ]),
        Town(
            name: "Paris", slug: "paris", currency: "EUR", streets: ["rue de Lyon", "boulevard Voltaire", "rue La Fayette"],
            landmarks: [
                Landmark("Gare du Nord", 488_809, 23_553), Landmark("Bastille", 488_532, 23_691), Landmark("Montparnasse", 488_422, 23_219),
                Landmark("Belleville", 488_722, 23_767),
            ]),
        Town(
            name: "Berlin", slug: "berlin", currency: "EUR", streets: ["Torstraße", "Karl-Marx-Allee", "Sonnenallee", "Oranienstraße"],
            landmarks: [
                Landmark("Alexanderplatz", 525_219, 134_132), Landmark("Kottbusser Tor", 524_990, 134_180),
                Landmark("Hermannplatz", 524_870, 134_248),
                Landmark("Zoo", 525_072, 133_327),
            ]),
        Town(
            name: "Stockholm", slug: "stockholm", currency: "SEK", streets: ["Götgatan", "Sveavägen", "Hornsgatan"],
            landmarks: [
                Landmark("Hötorget", 593_355, 180_634), Landmark("Odenplan", 593_430, 180_497),
                Landmark("Medborgarplatsen", 593_143, 180_735),
            ]),
        Town(
            name: "Zürich", slug: "zurich", currency: "CHF", streets: ["Langstrasse", "Badenerstrasse", "Universitätstrasse"],
            landmarks: [
                Landmark("Hauptbahnhof", 473_779, 85_403), Landmark("Wiedikon", 473_715, 85_236), Landmark("Oerlikon", 474_116, 85_444),
            ]),
        Town(
            name: "New York", slug: "new-york", currency: "USD", streets: ["Lexington Avenue", "Broadway", "Bedford Avenue"],
            landmarks: [
                Landmark("Grand Central", 407_527, -739_772), Landmark("Union Square", 407_359, -739_911),
                Landmark("Bushwick", 406_958, -739_171),
                Landmark("Harlem", 408_085, -739_450),
            ]),
        Town(
            name: "東京", slug: "tokyo", currency: "JPY", streets: ["新宿通り", "明治通り", "中央通り"],
            landmarks: [
                Landmark("新宿", 356_896, 1_397_006), Landmark("渋谷", 356_580, 1_397_016), Landmark("上野", 357_138, 1_397_770),
                Landmark("中野", 357_056, 1_396_659),
            ]),
        Town(
            name: "Riffa", slug: "riffa", currency: "BHD", streets: ["Old Palace Avenue", "Estiqlal Highway"],
            landmarks: [Landmark("East Riffa", 261_290, 505_650), Landmark("West Riffa", 261_250, 505_430)]),
        Town(
            name: "Santiago", slug: "santiago", currency: "CLP", streets: ["Avenida Matta", "Irarrázaval", "San Diego"],
            landmarks: [
                Landmark("Plaza de Armas", -334_378, -706_505), Landmark("Providencia", -334_263, -706_170),
                Landmark("Ñuñoa", -334_545, -705_935),
            ]),
        Town(
            name: "Sydney", slug: "sydney", currency: "AUD", streets: ["Crown Street", "King Street", "Norton Street"],
            landmarks: [
                Landmark("Central", -338_832, 1_512_069), Landmark("Newtown", -338_979, 1_511_793),
                Landmark("Surry Hills", -338_861, 1_512_111),
            ]),
    ]
}

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
