/// The reason why a state file cannot be used, or a command not be stored.
package enum StoreError: Error, Sendable, Hashable, CustomStringConvertible {
    case cannotOpen(path: String, reason: String)
    /// Its server was killed during a write, and the copy in which that is rolled back could not be made in the folder.
    case cannotExamine(path: String, folder: String, reason: String)
    /// There is no file, and none may be created.
    case missing(path: String)
    case notOurs(path: String)
    case newer(path: String)
    /// It was written by a development build of an earlier form.
    case older(path: String)
    /// A row in it was altered: a sentence each, with its location.
    case damaged(path: String, faults: [String])
    case inUse(path: String, by: String?)
    /// No space is left; nothing of the command is stored.
    case full(path: String)
    case failed(path: String, reason: String)
    /// The disk failed while the command was written: only a restart shows whether it is stored.
    case unknown(path: String, reason: String)
    /// The disk failed earlier, and nothing is written any more.
    case stopped(path: String, reason: String)
    /// Another file, or none, is at the path now: clients could lose what is written to this one.
    case moved(path: String)
    /// The command's session is not in the file: it was removed.
    case removed(session: String)
    case closed(path: String)

    /// The reason alone, without the file; the whole description of an error that has none.
    package var reason: String {
        switch self {
        case .cannotOpen(_, let reason), .failed(_, let reason), .unknown(_, let reason), .stopped(_, let reason): reason
        case .damaged(_, let faults): faults.joined(separator: "; ")
        default: description
        }
    }

    package var description: String {
        switch self {
        case .cannotOpen(let path, let reason):
            "cannot open the state file \(path): \(reason); expected a file, or a folder in which one can be created"
        case .cannotExamine(let path, let folder, let reason):
            "cannot examine the state file \(path): its server was killed during a write, and it could not be copied to \(folder): \(reason); set TMPDIR to a folder that has room for it"
        case .missing(let path): "found no state file \(path), expected one written by counterfoil serve --state"
        case .notOurs(let path): "\(path) is not a state file of counterfoil; expected one that it wrote, or a path that does not exist"
        case .newer(let path):
            "the state file \(path) was written by a newer counterfoil; expected one of this version or older: update counterfoil, or choose another file"
        case .older(let path):
            "the state file \(path) was written by an older development build of counterfoil; expected one of this version: remove it, or choose another file"
        case .damaged(let path, let faults):
            "the state file \(path) is damaged: \(faults.joined(separator: "; ")). Restore a complete copy, with \(path)-journal if there was one, or choose another file"
        case .inUse(let path, let pid):
            "the state file \(path) is in use by another counterfoil\(pid.map { " (process \($0))" } ?? ""); end it first, or choose another file"
        case .full(let path): "no space left for the state file \(path); free some space, the file itself needs no repair"
        case .failed(let path, let reason): "the state file \(path) cannot be written: \(reason)"
        case .unknown(let path, let reason):
            "the state file \(path) cannot be written: \(reason); whether the last command is stored is unknown until the server is restarted"
        case .stopped(let path, let reason):
            "the state file \(path) could not be written: \(reason); no further changes are written: repair the disk and restart the server"
        case .moved(let path):
            "the state file \(path) was moved or replaced while in use; no further changes are written: restore it with \(path)-journal and restart the server"
        case .removed(let session): "the session \(session) was removed; the change was not made"
        case .closed(let path): "the state file \(path) is closed"
        }
    }
}
