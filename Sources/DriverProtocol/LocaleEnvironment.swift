/// The system's variables by which a process learns the user's locale when it starts.
package enum LocaleEnvironment {
    /// `LANG` and `LC_ALL` of a locale such as `de_DE`, in UTF-8; empty for nil: the process inherits the harness's own.
    package static func variables(_ locale: String?) -> [String: String] {
        guard let locale else { return [:] }
        return ["LANG": "\(locale).UTF-8", "LC_ALL": "\(locale).UTF-8"]
    }
}
