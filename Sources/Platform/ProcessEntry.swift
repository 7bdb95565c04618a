/// A process as the system lists it.
package struct ProcessEntry: Sendable, Hashable {
    package let id: pid_t
    package let parent: pid_t
    /// Its process group, named like the process that leads it.
    package let group: pid_t
    /// Its session, named like the process that leads it.
    package let session: pid_t
    /// Whether it has ended, and its parent has not asked how.
    package let isZombie: Bool

    /// Reads `/proc/ID/stat` of Linux (proc(5)): `ID (NAME) STATE PARENT GROUP SESSION …`, where NAME may hold anything.
    ///
    /// - Returns: nil for any other text.
    package init?(stat: String) {
        guard let begin = stat.firstIndex(of: "("), let end = stat.lastIndex(of: ")") else { return nil }
        let before = stat[..<begin].split(separator: " ")
        let fields = stat[stat.index(after: end)...].split(separator: " ")
        guard before.count == 1, fields.count >= 4, let id = pid_t(before[0]), let parent = pid_t(fields[1]),
            let group = pid_t(fields[2]), let session = pid_t(fields[3])
        else { return nil }
        self.id = id
        self.parent = parent
        self.group = group
        self.session = session
        isZombie = fields[0] == "Z"
    }

    /// Every process; none where the system does not report it.
    package static var all: [ProcessEntry] { Native.processes }
}
