import BankModel

/// The parameters that a session was created with besides its bank; they do not change.
package struct SessionMetadata: Sendable, Hashable {
    /// Labels that select it, such as `ios` under `team`.
    package var labels: [String: String]
    /// How long it may be unused before it is removed; nil if the server decides.
    package var timeToLive: Duration?
    /// SHA-256 of the session's admin token; nil if it has none.
    package var tokenDigest: String?
    /// Whether `?auto=approve` approves a sign-in without its page.
    package var approvesAlone = false
    /// Its challenges; nil for those of the bank.
    package var challenges: ChallengePolicy.Setting?

    package init(
        labels: [String: String] = [:], timeToLive: Duration? = nil, tokenDigest: String? = nil, approvesAlone: Bool = false,
        challenges: ChallengePolicy.Setting? = nil
    ) {
        self.labels = labels
        self.timeToLive = timeToLive
        self.tokenDigest = tokenDigest
        self.approvesAlone = approvesAlone
        self.challenges = challenges
    }

    /// Whether it has the label, given as `team=ios`.
    package func has(label: String) -> Bool {
        let name = label.prefix { $0 != "=" }
        return name.endIndex < label.endIndex && labels[String(name)].map { $0 == label[name.endIndex...].dropFirst() } ?? false
    }
}

extension SessionMetadata {
    /// As it is stored; nil if nothing was set.
    var image: JSON? {
        guard self != SessionMetadata() else { return nil }
        return .object(known: [
            "labels": .sortedImage(labels.mapValues(JSON.string)), "ttl": timeToLive.map { .image($0) },
            "token": tokenDigest.map(JSON.string), "authorize": approvesAlone ? "auto" : nil,
            "challenges": challenges.map { .string($0.rawValue) },
        ])
    }

    /// - Parameter image: nil for a session that was stored before there was metadata.
    init(_ image: ImageReader?) throws(ImageError) {
        self.init()
        guard let image else { return }
        for (name, label) in try image.member("labels").members() { labels[name] = try label.text() }
        timeToLive = try image["ttl"]?.duration()
        tokenDigest = try image["token"]?.text()
        approvesAlone = image["authorize"] != nil
        challenges = try image["challenges"]?.choice(of: ChallengePolicy.Setting.self)
    }
}
