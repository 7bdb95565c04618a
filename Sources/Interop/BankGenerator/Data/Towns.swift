extension Town {
    /// Cities and places that there are, none nearer to open water than the machines are scattered around it; the banks and
    /// their machines are made up. The first is where Ava and Ben live.
    static let all: [Town] = [
        Town(
            name: "Bristol", slug: "bristol", currency: "GBP", streets: ["Victoria Street", "Park Row", "North Street", "Stokes Croft"],
            landmarks: [
                ("Temple Meads", 514_491, -25_813), ("Broadmead", 514_585, -25_880), ("Clifton", 514_627, -26_213),
                ("Bedminster", 514_410, -25_950),
            ]),
        Town(
            name: "London", slug: "london", currency: "GBP", streets: ["High Street", "Station Road", "Church Street", "Market Row"],
            landmarks: [
                ("Liverpool Street", 515_178, -823), ("King's Cross", 515_308, -1238), ("Brixton", 514_627, -1145),
                ("Stratford", 515_416, -42), ("Shoreditch", 515_265, -783),
            ]),
        Town(
            name: "Edinburgh", slug: "edinburgh", currency: "GBP", streets: ["Leith Walk", "Nicolson Street", "Morningside Road"],
            landmarks: [("Waverley", 559_520, -31_900), ("Haymarket", 559_457, -32_183), ("Morningside", 559_275, -32_100)]),
        Town(
            name: "Dublin", slug: "dublin", currency: "EUR", streets: ["Dorset Street", "Camden Street", "Thomas Street"],
            landmarks: [("Connolly", 533_531, -62_459), ("St Stephen's Green", 533_390, -62_613), ("Smithfield", 533_489, -62_786)]),
        Town(
            name: "Paris", slug: "paris", currency: "EUR", streets: ["rue de Lyon", "boulevard Voltaire", "rue La Fayette"],
            landmarks: [
                ("Gare du Nord", 488_809, 23_553), ("Bastille", 488_532, 23_691), ("Montparnasse", 488_422, 23_219),
                ("Belleville", 488_722, 23_767),
            ]),
        Town(
            name: "Berlin", slug: "berlin", currency: "EUR", streets: ["Torstraße", "Karl-Marx-Allee", "Sonnenallee", "Oranienstraße"],
            landmarks: [
                ("Alexanderplatz", 525_219, 134_132), ("Kottbusser Tor", 524_990, 134_180), ("Hermannplatz", 524_870, 134_248),
                ("Zoo", 525_072, 133_327),
            ]),
        Town(
            name: "Stockholm", slug: "stockholm", currency: "SEK", streets: ["Götgatan", "Sveavägen", "Hornsgatan"],
            landmarks: [("Hötorget", 593_355, 180_634), ("Odenplan", 593_430, 180_497), ("Medborgarplatsen", 593_143, 180_735)]),
        Town(
            name: "Zürich", slug: "zurich", currency: "CHF", streets: ["Langstrasse", "Badenerstrasse", "Universitätstrasse"],
            landmarks: [("Hauptbahnhof", 473_779, 85_403), ("Wiedikon", 473_715, 85_236), ("Oerlikon", 474_116, 85_444)]),
        Town(
            name: "New York", slug: "new-york", currency: "USD", streets: ["Lexington Avenue", "Broadway", "Bedford Avenue"],
            landmarks: [
                ("Grand Central", 407_527, -739_772), ("Union Square", 407_359, -739_911), ("Bushwick", 406_958, -739_171),
                ("Harlem", 408_085, -739_450),
            ]),
        Town(
            name: "東京", slug: "tokyo", currency: "JPY", streets: ["新宿通り", "明治通り", "中央通り"],
            landmarks: [("新宿", 356_896, 1_397_006), ("渋谷", 356_580, 1_397_016), ("上野", 357_138, 1_397_770), ("中野", 357_056, 1_396_659)]),
        Town(
            name: "Riffa", slug: "riffa", currency: "BHD", streets: ["Old Palace Avenue", "Estiqlal Highway"],
            landmarks: [("East Riffa", 261_290, 505_650), ("West Riffa", 261_250, 505_430)]),
        Town(
            name: "Santiago", slug: "santiago", currency: "CLP", streets: ["Avenida Matta", "Irarrázaval", "San Diego"],
            landmarks: [("Plaza de Armas", -334_378, -706_505), ("Providencia", -334_263, -706_170), ("Ñuñoa", -334_545, -705_935)]),
        Town(
            name: "Sydney", slug: "sydney", currency: "AUD", streets: ["Crown Street", "King Street", "Norton Street"],
            landmarks: [("Central", -338_832, 1_512_069), ("Newtown", -338_979, 1_511_793), ("Surry Hills", -338_861, 1_512_111)]),
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

/// A square, a station or a quarter of a town, with degrees north of the equator and east of Greenwich in ten-thousandths (about 11 m).
typealias Landmark = (name: String, latitude: Int, longitude: Int)
