import BankFiles
import BankModel
import Contracts
import Platform

extension FiledReport {
    /// Reads what `counterfoil test --json` wrote.
    ///
    /// - Throws: ``ComplaintsError`` that names the file, what was found and what was expected.
    init(reading file: String) throws(ComplaintsError) {
        let bytes: [UInt8]
        do throws(UnreadFile) { bytes = try Disk.bytes(named: file, .report) } catch {
            throw ComplaintsError([Complaint(error, file: file, expected: "a report as JSON")])
        }
        let json: JSON
        do throws(JSONError) { json = try JSON(parsing: bytes) } catch {
            throw ComplaintsError([
                Complaint("found no JSON (\(error)), expected what `counterfoil test --json` writes", at: SourcePosition(file: file))
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
