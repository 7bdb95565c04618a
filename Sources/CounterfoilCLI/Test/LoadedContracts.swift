import BankEngine
import BankFiles
import BankModel
import Contracts
import Faults
import Foundation
import Harness
import Logging
import StubServer

/// Banks and contracts, read and checked: what a run is chosen from.
struct LoadedContracts {
    let library: BankLibrary
    let banks: [LoadedBank]
    let suites: [Suite]
    /// The invariants, which apply to every case.
    let invariants: [Invariant]
    /// Every case on every bank that it fits.
    let instances: [Instance]
    /// SHA-256 of the files of cases and invariants, in hexadecimal.
    let digest: String

    /// - Parameters:
    ///   - stubs: folder of the banks; nil: the usual one.
    ///   - contracts: folder of the contracts; nil: the usual one.
    ///   - wanted: the banks that are loaded; empty: all.
    init(stubs: String?, contracts: String?, banks wanted: [String], _ complaints: Complaints) {
        library = BankLibrary.find(stubs)
        banks = LoadedContracts.load(library, wanted: wanted, complaints)
        let files = ContractFiles.find(contracts, stubs: library)
        digest = files.digest
        suites = files.suites(complaints)
        invariants = files.bindingInvariants(complaints)
        suites.checkExemptions(invariants, complaints)
        suites.checkBanks(library.names, complaints)
        instances = TestRun.instances(suites, on: banks.map { BankFacts($0.bank) }, complaints)
    }

    /// The names of all results that a run could have: those of the instances, and of every invariant broken in each.
    var names: [String] {
        instances.flatMap { instance in [instance.name] + invariants.map { instance.brokenBy($0).name } }
    }

    private static func load(_ library: BankLibrary, wanted: [String], _ complaints: Complaints) -> [LoadedBank] {
        let known = library.names
        if known.isEmpty {
            complaints.add(found: "no bank", expected: "folders with a bank.yaml (see --stubs)", at: SourcePosition(file: library.folder))
            return []
        }
        for name in wanted where !known.contains(name) {
            let hint = didYouMean(name, among: known)
            complaints.add(found: "the bank `\(name)`", expected: oneOf(known) + hint, at: SourcePosition(file: library.folder))
        }
        return known.filter { wanted.isEmpty || wanted.contains($0) }.compactMap { name in
            do throws(ComplaintsError) { return try library.load(name) } catch {
                error.complaints.forEach(complaints.add)
                return nil
            }
        }
    }

    /// Serves the banks in this process as long as the body lasts, with a folder for drivers that is removed afterwards.
    ///
    /// - Parameters:
    ///   - instances: what is going to be run.
    ///   - speaksTLS: whether further cases under TLS may follow.
    /// - Throws: ``UsageError`` if the banks cannot be served.
    func serving<Value: Sendable>(
        _ instances: [Instance], seed: UInt64, speaksTLS: Bool = false, _ body: (StubServerBank, _ folder: URL) async throws -> Value
    ) async throws -> Value {
        try FileLimit.raise()
        let folder: URL
        do { folder = try ScratchFolder.make() } catch {
            throw UsageError("found no folder for the drivers' files: \(error.localizedDescription)", hint: "set TMPDIR to one")
        }
        defer { try? FileManager.default.removeItem(at: folder) }
        let bank: StubServerBank
        do {
            bank = try await serve(instances, seed: seed, speaksTLS: speaksTLS, folder: folder)
        } catch {
            throw UsageError("\(error)")
        }
        let result: Result<Value, any Error>
        do { result = .success(try await body(bank, folder)) } catch { result = .failure(error) }
        await bank.shutdown()
        return try result.get()
    }

    /// Serves the banks in this process, under TLS too where a case asks for it: with an authority of this run alone.
    ///
    /// - Parameters:
    ///   - instances: what is going to be run.
    ///   - speaksTLS: whether further cases under TLS may follow.
    ///   - folder: where the authority's certificate is written to.
    private func serve(_ instances: [Instance], seed: UInt64, speaksTLS: Bool, folder: URL) async throws -> StubServerBank {
        let plans = try library.plans.plans(of: instances)
        var configuration = ServerConfiguration(seed: seed)
        configuration.clock.isSteadyInSessions = true
        var caFile: String?
        var pins: [String] = []
        if speaksTLS || instances.contains(where: { $0.given.wireProtocol != .h1 }) {
            // From a year ago: valid although the machine's clock is set back during the run.
            let issued = configuration.clock.now() + .seconds(-365 * 86_400)
            let authority = try CertificateAuthority.make(named: "Counterfoil contract run", at: issued)
            configuration.tls = TLSSettings(authority: authority)
            let path = folder.appending(path: "ca.pem").path
            try WholeFile(path).write(authority.pem + "\n")
            caFile = path
            pins = authority.pins
        }
        let sources = banks.map { BankSource($0, library: library) }
        let server = try await StubServer(sources, configuration, logger: Logger(label: "counterfoil"))
        return StubServerBank(server, banks, caFile: caFile, pins: pins, plans: plans)
    }
}
