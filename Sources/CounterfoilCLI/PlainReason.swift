import Foundation

extension Error {
    /// The reason in the system's words, such as `Permission denied`, where Foundation keeps them under its own words
    /// ("The operation could not be completed. (NSCocoaErrorDomain error 512.)").
    var plainReason: String {
        if let system = self as? POSIXError { return String(cString: strerror(system.code.rawValue)) }
        if let cause = (self as? CocoaError)?.underlying { return cause.plainReason }
        return localizedDescription
    }
}
