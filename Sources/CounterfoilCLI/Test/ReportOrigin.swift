import BankModel
import Contracts
import Foundation
import Platform

extension ReportDocument.Origin {
    /// This moment, this machine and this program.
    static var here: Self {
        let host = ThisProcess.hostName
        return Self(
            started: Instant(seconds: Int64(Date.now.timeIntervalSince1970)), host: host.isEmpty ? nil : host,
            version: Counterfoil.versionText)
    }
}
