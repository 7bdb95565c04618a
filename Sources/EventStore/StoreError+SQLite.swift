import BankEngine
import CSQLite
import SQLiteFile

extension StoreError {
    /// The meaning of an error of SQLite's for that file.
    init(_ error: any Error, path: String) {
        if let error = error as? StoreError {
            self = error
            return
        }
        guard let error = error as? SQLiteError else {
            self = .failed(path: path, reason: "\(error)")
            return
        }
        self =
            switch error.primaryCode {
            case SQLITE_FULL: .full(path: path)
            case SQLITE_NOTADB: .notOurs(path: path)
            case SQLITE_CORRUPT, SQLITE_ERROR, SQLITE_MISMATCH: .damaged(path: path, faults: [error.message])
            case SQLITE_CANTOPEN, SQLITE_READONLY, SQLITE_PERM: .cannotOpen(path: path, reason: error.message)
            default: .failed(path: path, reason: error.message)
            }
    }
}
