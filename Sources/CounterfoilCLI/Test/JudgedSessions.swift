import BankModel
import Contracts

/// The sessions of one or several running servers that `counterfoil judge` checks together.
struct JudgedSessions {
    /// In the order of the servers, and of the ids on each.
    let sessions: [ServedSession]
    /// Whether every server has answered.
    let isWhole: Bool

    /// - Parameters:
    ///   - names: the sessions; empty: all with the labels, or the session of the only bank of the only server.
    ///   - labels: labels that each must have, such as `team=ios`.
    /// - Throws: ``AdminFailure`` if nothing is found, or a name is not.
    init(_ names: [String], labels: [String], at servers: [AdminOptions]) async throws {
        if let only = servers.first, servers.count == 1, labels.isEmpty, names.count < 2 {
            sessions = [try await ServedSession(names.first, only)]
            isWhole = true
            return
        }
        let lists = try await servers.sessions(labelled: labels)
        let found = lists.flatMap { server, sessions in
            sessions.map { $0.text("id") }.filter { names.isEmpty || names.contains($0) }.map { ServedSession(named: $0, at: server) }
        }
        isWhole = lists.count == servers.count
        if isWhole, let missing = names.first(where: { name in !found.contains { $0.name == name } }) {
            throw AdminFailure(description: "there is no session \(missing)" + (labels.isEmpty ? "" : " labelled \(oneOf(labels))"))
        }
        guard !found.isEmpty else {
            throw AdminFailure(
                description: "found no session" + (labels.isEmpty ? "" : " labelled \(oneOf(labels))") + ", expected at least one")
        }
        sessions = found
    }
}
