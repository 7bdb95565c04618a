/// A first name, and the login that it gives: small ASCII letters.
typealias FirstName = (name: String, login: String)

/// Names and words of which people and their passwords are made.
enum PeopleWords {
    static let firstNames: [FirstName] = [
        ("Cleo", "cleo"), ("Dmitri", "dmitri"), ("Élodie", "elodie"), ("Farah", "farah"), ("Göran", "goran"), ("Hana", "hana"),
        ("Ibrahim", "ibrahim"), ("Jürgen", "jurgen"), ("Kwame", "kwame"), ("Lúcia", "lucia"), ("Mei", "mei"), ("Niamh", "niamh"),
        ("Oluwaseun", "seun"), ("Priya", "priya"), ("Quentin", "quentin"), ("Rosa", "rosa"), ("Søren", "soren"), ("Tariq", "tariq"),
        ("Uma", "uma"), ("Víctor", "victor"), ("Wanda", "wanda"), ("Ximena", "ximena"), ("Yuki", "yuki"), ("Zoë", "zoe"),
        ("Anselm", "anselm"), ("Bronagh", "bronagh"), ("Chidi", "chidi"), ("Daphne", "daphne"), ("Emre", "emre"), ("Fiona", "fiona"),
        ("Giulia", "giulia"), ("Håkon", "hakon"), ("Ines", "ines"), ("Jakub", "jakub"), ("Kirsty", "kirsty"), ("Leila", "leila"),
    ]

    static let lastNames = [
        "Abara", "Bergström", "Castellan", "Dahl", "Eze", "Fairweather", "García", "Hallam", "Ito", "Jansen", "Kowalczyk", "Lindqvist",
        "Mensah", "Novák", "O'Hanlon", "Petit", "Quist", "Rahman", "Schäfer", "Tanaka", "Underhill", "Vasić", "Whitlock", "Xu", "Yılmaz",
        "Żak", "Ashdown", "Blackwood", "Carrasco", "Duarte", "Engel", "Farouk",
    ]

    static let adjectives = [
        "amber", "brisk", "calm", "dusty", "early", "faint", "gentle", "hidden", "idle", "jolly", "keen", "lucky", "mellow", "nimble",
        "olive",
        "plain", "quiet", "rusty", "silver", "tidy",
    ]

    static let nouns = [
        "anchor", "bridge", "candle", "drawer", "engine", "feather", "garden", "hammer", "island", "jacket", "kettle", "lantern", "mirror",
        "needle", "orchard", "pencil", "quarry", "ribbon", "saddle", "thimble",
    ]
}
