import BankModel

extension Trade {
    /// Made-up shops by trade.
    static let all: [Trade] = [
        Trade(
            shops: [
                "Harbour Grocers", "Greenleaf Market", "Fern & Sons", "Pennywise Foods", "The Corner Larder", "Daily Basket", "Mill & Malt",
                "Orchard Lane Grocers", "Sunrise Mini Mart", "まるや商店",
            ],
            pence: 120...9800, hours: 7...21, workday: 22, weekend: 26, emoji: ["🛒", "🥦"]),
        Trade(
            shops: [
                "Café Åland", "Paper Cup", "Kiosk 14", "Second Crack Coffee", "Pearl Café", "The Kettle & Cup", "Boulangerie Saint-Roch",
                "Rösterei Nord", "Steam Room Espresso",
            ],
            pence: 180...1250, hours: 6...17, workday: 20, weekend: 12, emoji: ["☕", "🥐", "☕️🍰"]),
        Trade(
            shops: ["Lunch Counter", "Noodle Yard", "The Salad Bench", "Soup & Sons", "Wrap Republic", "Taco Verde", "Dosa Corner"],
            pence: 450...1600, hours: 11...15, workday: 16, weekend: 5, emoji: ["🍜", "🌮"]),
        Trade(
            shops: [
                "Blue Door Kitchen", "Pizza at Nonna's", "Smoke & Vine", "Lantern House", "Trattoria Ponte", "El Farolito",
                "The Copper Pan",
                "Zum Anker", "居酒屋ひので",
            ],
            pence: 1400...14_000, hours: 17...23, workday: 6, weekend: 16, emoji: ["🍕", "🍣", "🥂"]),
        Trade(
            shops: ["Northline Rail", "City Trams", "Night Bus", "Harbour Ferries", "Metro Pass", "Two Wheels Hire", "Swift Cabs"],
            pence: 160...7400, hours: 5...23, workday: 20, weekend: 8, emoji: ["🚲", "🚆"], hasLandmarks: false),
        Trade(
            shops: ["Crossway Fuels", "Beacon Petrol", "Volta Charging", "Ringway Services"],
            pence: 1800...9500, hours: 6...21, workday: 5, weekend: 6, emoji: ["⛽"]),
        Trade(
            shops: ["Sole & Heel", "Thread Count", "Linen & Loom", "Button Row", "Northfold", "Kleiderhaus Ost", "Second Season"],
            pence: 900...18_000, hours: 9...19, workday: 4, weekend: 12, emoji: ["👟"]),
        Trade(
            shops: ["Paper Moon Books", "Page & Spine", "Inkwell", "Librería del Puerto", "本屋さくら", "Odd Volumes"],
            pence: 499...6200, hours: 9...19, workday: 3, weekend: 7, emoji: ["📚"]),
        Trade(
            shops: ["Hollis Pharmacy", "Apotek Linden", "Well & Good Chemists", "Dr Marsh, dentist", "Clear Sight Opticians"],
            pence: 320...24_000, hours: 8...18, workday: 5, weekend: 2),
        Trade(
            shops: ["Odeon Square", "Filmhouse", "The Small Theatre", "Rink & Roll", "Museum of Tides", "Botanic Gardens Shop"],
            pence: 700...6500, hours: 11...22, workday: 2, weekend: 11, emoji: ["🎬", "🎟️", "👨‍👩‍👧 🐟"]),
        Trade(
            shops: ["Tool Barn", "Paint & Plaster", "Lamp & Shade", "Garden Gate Nursery", "Möbel Werk", "Home Quarter"],
            pence: 600...42_000, hours: 8...19, workday: 3, weekend: 9, emoji: ["🪴", "🔨"]),
        Trade(
            shops: [
                "parcelpost.example", "Gadget Attic", "clickandknit.example", "Wirehouse Direct", "The Vinyl Post", "pixelpantry.example",
            ],
            pence: 399...38_000, hours: 0...23, workday: 12, weekend: 14, emoji: ["📦", "🎧"], hasLandmarks: false),
        Trade(
            shops: ["Skyward Air", "Hotel Belvedere", "Pension Alpenblick", "Coastline Ferries", "Ryokan Midori", "Campsite Les Pins"],
            pence: 3900...68_000, hours: 6...22, workday: 1, weekend: 2, emoji: ["✈️", "🏕️"], hasLandmarks: false),
        Trade(
            shops: ["Fox & Feather", "The Lamplighter", "Hop Garden", "Bar Celona Nova", "Kneipe am Eck", "Siren Club"],
            pence: 350...5200, hours: 16...23, workday: 5, weekend: 14, emoji: ["🍻"]),
        Trade(
            shops: ["Paws & Claws", "Snip Barbers", "Nail Lab", "Soap & Suds Laundry", "Key Cutter", "Bark Avenue Vets"],
            pence: 400...16_000, hours: 9...18, workday: 4, weekend: 5, emoji: ["🐕", "💇🏽‍♀️"]),
    ]

    /// The companies that debit a monthly amount, with its range in pence.
    static let subscriptions: [(name: String, pence: ClosedRange<Int>)] = [
        ("Streamline TV", 599...1799), ("Lark Energy", 4200...16_000), ("Iron Yard Gym", 1999...4599),
        ("Fibre & Sons Broadband", 2200...4800),
        ("Pocketline Mobile", 800...3900), ("Clearwater Utilities", 1900...5200), ("Humdrum Insurance", 1100...7400),
        ("City Council", 9800...21_000), ("The Morning Ledger", 900...2600), ("Tunebox", 999...1699),
    ]

    /// The subjects of payments between people.
    static let favours = [
        "Pizza, my half 🍕", "Rent share", "Tickets", "Thanks! 🙏", "Lunch", "Birthday 🎂", "Taxi home", "Holiday kitty 🏖️", "Football subs ⚽",
        "Groceries", "Concert 🎸", "I owe you", "誕生日おめでとう", "Présent pour Maman", "Miete anteilig", "for the 🐱 sitter", "Rounds last night",
    ]

    /// The companies that pay salaries.
    static let employers = [
        "Lantern Works", "Northgate Hospital", "Brightwater Schools", "Anvil & Arc", "Tidal Software", "Meridian Freight", "City Council",
        "Fable Press", "Quarry Lane Foods", "Sternwarte Optik",
    ]

    /// The companies that receive rent.
    static let landlords = [
        "Tallis Homes", "Rook & Gable Lettings", "Harbourside Housing", "Wohnbau Mitte", "M. Castellan", "Quay Street Flats",
    ]
}

/// A kind of shop, and how people spend there.
struct Trade: Sendable {
    let shops: [String]
    /// The price range of a purchase in pence; low prices are drawn more often.
    let pence: ClosedRange<Int>
    /// Hours of the day (UTC) in which it sells.
    let hours: ClosedRange<Int>
    /// How often people go there from Monday to Friday, beside the other trades.
    let workday: Int
    /// How often on Saturdays and Sundays.
    let weekend: Int
    /// Behind some descriptions.
    var emoji: [String] = []
    /// Whether a landmark may stand behind the shop's name.
    var hasLandmarks = true
}

/// How dear things are in a currency: prices are drawn in pence and turned into its minor units.
struct PriceLevel: Sendable, Hashable {
    let currency: Currency
    /// The equivalent of ten pounds in minor units; rough rates, fixed forever.
    let tenPounds: Int

    private static let levels: [(code: String, tenPounds: Int)] = [
        ("GBP", 1000), ("EUR", 1170), ("USD", 1300), ("SEK", 13_200), ("CHF", 1100), ("JPY", 1900), ("BHD", 4900), ("KWD", 4000),
        ("CLP", 12_400), ("CLF", 3300), ("AUD", 2000),
    ]

    /// The levels of all currencies that generated banks know, by code.
    static let all: [String: PriceLevel] = Dictionary(
        uniqueKeysWithValues: levels.compactMap { code, tenPounds in
            Currency(code).map { (code, PriceLevel(currency: $0, tenPounds: tenPounds)) }
        })

    /// An amount of pence in minor units of the currency, at least 1.
    func minorUnits(pence: Int) -> Int64 { Int64(max(1, pence * tenPounds / 1000)) }

    /// An amount with all the currency's digits, as the model bank writes it.
    func json(_ minorUnits: Int64) -> JSON {
        ["amount": .string(Money(minorUnits: minorUnits, currency: currency).major), "currency": .string(currency.code)]
    }
}
