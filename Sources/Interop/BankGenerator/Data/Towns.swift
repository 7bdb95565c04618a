extension Town {
    /// Cities and places that there are, none nearer to open water than the machines are scattered around it; the banks and
    /// their machines are made up. The first is where Ava and Ben live.
    static let all: [Town] = [
        Town(
            name: "Bristol", slug: "bristol", currency: "GBP", streets: ["Victoria Street", "Park Row", "North Street", "Stokes Croft"],
            spots: [
                Spot("Temple Meads", 514_491, -25_813), Spot("Broadmead", 514_585, -25_880), Spot("Clifton", 514_627, -26_213),
                Spot("Bedminster", 514_410, -25_950),
            ]),
        Town(
            name: "London", slug: "london", currency: "GBP", streets: ["High Street", "Station Road", "Church Street", "Market Row"],
            spots: [
                Spot("Liverpool Street", 515_178, -823), Spot("King's Cross", 515_308, -1238), Spot("Brixton", 514_627, -1145),
                Spot("Stratford", 515_416, -42), Spot("Shoreditch", 515_265, -783),
            ]),
        Town(
            name: "Edinburgh", slug: "edinburgh", currency: "GBP", streets: ["Leith Walk", "Nicolson Street", "Morningside Road"],
            spots: [Spot("Waverley", 559_520, -31_900), Spot("Haymarket", 559_457, -32_183), Spot("Morningside", 559_275, -32_100)]),
        Town(
            name: "Dublin", slug: "dublin", currency: "EUR", streets: ["Dorset Street", "Camden Street", "Thomas Street"],
            spots: [Spot("Connolly", 533_531, -62_459), Spot("St Stephen's Green", 533_390, -62_613), Spot("Smithfield", 533_489, -62_786)]),
        Town(
            name: "Paris", slug: "paris", currency: "EUR", streets: ["rue de Lyon", "boulevard Voltaire", "rue La Fayette"],
            spots: [
                Spot("Gare du Nord", 488_809, 23_553), Spot("Bastille", 488_532, 23_691), Spot("Montparnasse", 488_422, 23_219),
                Spot("Belleville", 488_722, 23_767),
            ]),
        Town(
            name: "Berlin", slug: "berlin", currency: "EUR", streets: ["Torstraße", "Karl-Marx-Allee", "Sonnenallee", "Oranienstraße"],
            spots: [
                Spot("Alexanderplatz", 525_219, 134_132), Spot("Kottbusser Tor", 524_990, 134_180), Spot("Hermannplatz", 524_870, 134_248),
                Spot("Zoo", 525_072, 133_327),
            ]),
        Town(
            name: "Stockholm", slug: "stockholm", currency: "SEK", streets: ["Götgatan", "Sveavägen", "Hornsgatan"],
            spots: [Spot("Hötorget", 593_355, 180_634), Spot("Odenplan", 593_430, 180_497), Spot("Medborgarplatsen", 593_143, 180_735)]),
        Town(
            name: "Zürich", slug: "zurich", currency: "CHF", streets: ["Langstrasse", "Badenerstrasse", "Universitätstrasse"],
            spots: [Spot("Hauptbahnhof", 473_779, 85_403), Spot("Wiedikon", 473_715, 85_236), Spot("Oerlikon", 474_116, 85_444)]),
        Town(
            name: "New York", slug: "new-york", currency: "USD", streets: ["Lexington Avenue", "Broadway", "Bedford Avenue"],
            spots: [
                Spot("Grand Central", 407_527, -739_772), Spot("Union Square", 407_359, -739_911), Spot("Bushwick", 406_958, -739_171),
                Spot("Harlem", 408_085, -739_450),
            ]),
        Town(
            name: "東京", slug: "tokyo", currency: "JPY", streets: ["新宿通り", "明治通り", "中央通り"],
            spots: [
                Spot("新宿", 356_896, 1_397_006), Spot("渋谷", 356_580, 1_397_016), Spot("上野", 357_138, 1_397_770),
                Spot("中野", 357_056, 1_396_659),
            ]),
        Town(
            name: "Riffa", slug: "riffa", currency: "BHD", streets: ["Old Palace Avenue", "Estiqlal Highway"],
            spots: [Spot("East Riffa", 261_290, 505_650), Spot("West Riffa", 261_250, 505_430)]),
        Town(
            name: "Santiago", slug: "santiago", currency: "CLP", streets: ["Avenida Matta", "Irarrázaval", "San Diego"],
            spots: [Spot("Plaza de Armas", -334_378, -706_505), Spot("Providencia", -334_263, -706_170), Spot("Ñuñoa", -334_545, -705_935)]),
        Town(
            name: "Sydney", slug: "sydney", currency: "AUD", streets: ["Crown Street", "King Street", "Norton Street"],
            spots: [Spot("Central", -338_832, 1_512_069), Spot("Newtown", -338_979, 1_511_793), Spot("Surry Hills", -338_861, 1_512_111)]),
    ]
}
