/// A first name, and the login that it gives.
struct FirstName: Sendable {
    let name: String
    /// Small ASCII letters.
    let login: String

    init(_ name: String, _ login: String) {
        self.name = name
        self.login = login
    }
}

/// Names and words of which people and their passwords are made.
enum PeopleWords {
    static let firstNames: [FirstName] = [
        FirstName("Cleo", "cleo"), FirstName("Dmitri", "dmitri"), FirstName("Élodie", "elodie"), FirstName("Farah", "farah"),
        FirstName("Göran", "goran"), FirstName("Hana", "hana"), FirstName("Ibrahim", "ibrahim"), FirstName("Jürgen", "jurgen"),
        FirstName("Kwame", "kwame"), FirstName("Lúcia", "lucia"), FirstName("Mei", "mei"), FirstName("Niamh", "niamh"),
        FirstName("Oluwaseun", "seun"), FirstName("Priya", "priya"), FirstName("Quentin", "quentin"), FirstName("Rosa", "rosa"),
        FirstName("Søren", "soren"), FirstName("Tariq", "tariq"), FirstName("Uma", "uma"), FirstName("Víctor", "victor"),
        FirstName("Wanda", "wanda"), FirstName("Ximena", "ximena"), FirstName("Yuki", "yuki"), FirstName("Zoë", "zoe"),
        FirstName("Anselm", "anselm"), FirstName("Bronagh", "bronagh"), FirstName("Chidi", "chidi"), FirstName("Daphne", "daphne"),
        FirstName("Emre", "emre"), FirstName("Fiona", "fiona"), FirstName("Giulia", "giulia"), FirstName("Håkon", "hakon"),
        FirstName("Ines", "ines"), FirstName("Jakub", "jakub"), FirstName("Kirsty", "kirsty"), FirstName("Leila", "leila"),
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
