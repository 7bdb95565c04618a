import BankEngine
import Platform
import StubServer

/// The folder for a user's state: COUNTERFOIL_HOME, else the system's folder for the state of programs.
enum UserFolder {
    /// The folder of the user's certificate authority.
    static var authority: AuthorityFolder {
        get throws(UsageError) { AuthorityFolder(try path + "/authority") }
    }

    /// The folder; never the working directory, which is others' too and goes into repositories.
    ///
    /// - Throws: ``UsageError`` where the user's home is not known.
    static var path: String {
        get throws(UsageError) {
            guard let found else {
                throw UsageError("found no HOME, and no home of this account (user \(getuid())), expected one: set COUNTERFOIL_HOME")
            }
            return found
        }
    }

    /// The folder; nil where the user's home is not known.
    static var found: String? { path(accountHome: ThisProcess.accountHome, ThisProcess.variable) }

    /// - Parameters:
    ///   - accountHome: the home of the account, where HOME is not set; nil without one.
    ///   - environment: the variable of that name; nil if it is not set, or empty.
    static func path(accountHome: @autoclosure () -> String?, _ environment: (String) -> String?) -> String? {
        if let own = environment("COUNTERFOIL_HOME") { return own }
        // One that is not absolute is to be ignored (XDG Base Directory Specification).
        if ThisProcess.usesXDG, let state = environment("XDG_STATE_HOME"), state.hasPrefix("/") { return state + "/counterfoil" }
        guard let home = environment("HOME") ?? accountHome(), home.hasPrefix("/") else { return nil }
        return "\(home)/\(ThisProcess.stateFolder)/counterfoil"
    }
}
