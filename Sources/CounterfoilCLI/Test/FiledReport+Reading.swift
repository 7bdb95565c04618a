import BankModel
import Contracts
import Foundation

extension FiledReport {
    /// Reads what `counterfoil test --json` wrote.
    ///
    /// - Throws: ``ComplaintsError`` that names the file, what was found and what was expected.
    init(reading file: String) throws(ComplaintsError) {
        guard let data = FileManager.default.contents(atPath: file) else {
            throw ComplaintsError([Complaint("found a file that cannot be read, expected a report as JSON", at: Place(file: file))])
        }
        let json: JSON
        do throws(JSONError) { json = try JSON(parsing: Array(data)) } catch {
            throw ComplaintsError([
                Complaint("found no JSON (\(error)), expected what `counterfoil test --json` writes", at: Place(file: file))
            ])
        }
        self.init(file, try ReportDocument(json: json, file: file))
    }

    /// Reads all files.
    ///
    /// - Throws: ``ComplaintsError`` with what is wrong with any of them.
    static func reading(_ files: [String]) throws(ComplaintsError) -> [FiledReport] {
        var reports: [FiledReport] = []
        var complaints: [Complaint] = []
        for file in files {
            do throws(ComplaintsError) { reports.append(try FiledReport(reading: file)) } catch { complaints += error.complaints }
        }
        guard complaints.isEmpty else { throw ComplaintsError(complaints) }
        return reports
    }
}
