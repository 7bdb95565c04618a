extension ServeSettings {
    /// The settings of a plain command line: `serve`, banks, and options each with its value behind it; nil for any other.
    ///
    /// ArgumentParser looks at every option by reflection, the longest single step to a bank's first answer: with it 54 ms go by
    /// until the ready line, without it 45 ms (medians of 60 starts by turns, release build). A line that is not plain and right
    /// (`--help`, `--port=1`, a misspelt word) is ArgumentParser's to read and to complain of.
    init?(plain arguments: [String]) {
        guard arguments.first == "serve" else { return nil }
        let options = Dictionary(uniqueKeysWithValues: ServeOption.all.map { ($0.name, $0) })
        var rest = arguments.dropFirst()
        while let word = rest.popFirst() {
            guard word.hasPrefix("-") else {
                banks.append(word)
                continue
            }
            switch options[word]?.read {
            case .flag(let set): set(&self)
            case .value(let set):
                guard let value = rest.popFirst(), !value.hasPrefix("-"), set(&self, value) else { return nil }
            case nil: return nil
            }
        }
        guard (try? check()) != nil else { return nil }
    }
}
