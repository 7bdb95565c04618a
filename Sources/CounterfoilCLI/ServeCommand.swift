import ArgumentParser
import BankCore
import BankFiles
import BankModel
import Logging
import StubServer
import UnixSignals

/// Serves stub banks until it is told to end.
struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Serve stub banks.",
        discussion: """
            Example: counterfoil serve roundup --port 9090
            One bank is mounted at /, several each at /<bank>; without a name all are served. When ready, one line of JSON goes to
            stdout (and to --ready-file); everything for people goes to stderr. Ctrl-C or SIGTERM ends it gracefully.
            """)

    @Argument(help: "The banks to serve, by folder; all if none is named.")
    var banks: [String] = []

    @Option(help: "Address of the banks' port; anything but loopback demands --admin-token.")
    var host = "127.0.0.1"

    @Option(help: "The banks' port; 0 for any that is free.")
    var port = 8080

    @Option(help: "Port of the admin API; 0 for any that is free.")
    var adminPort = 8081

    @Option(help: "Address of the admin API's port.")
    var adminHost = "127.0.0.1"

    @Option(help: "Demanded of every admin call as Authorization: Bearer.")
    var adminToken: String?

    @Option(help: "Folder of the banks; by default ./Stubs, or the one installed with the program.")
    var stubs: String?

    @Option(help: "Seed of everything random; by default a new one each time.")
    var seed: UInt64?

    @Option(help: "Origin whose web pages may call the banks, such as http://localhost:3000.")
    var cors: String?

    @Option(help: "How long a session that nobody uses is kept, such as 1h.")
    var sessionTtl = "1h"

    @Option(help: "Memory for all journals together, in MiB.")
    var journalMemory = 64

    @Option(help: "File that gets the ready line too.")
    var readyFile: String?

    @Flag(help: "Nothing for people, only the ready line.")
    var quiet = false

    mutating func validate() throws {
        guard (0...65_535).contains(port), (0...65_535).contains(adminPort) else { throw ValidationError("a port is from 0 to 65535") }
        guard Duration(text: sessionTtl) != nil else {
            throw ValidationError("found --session-ttl \(sessionTtl), expected a duration such as 90s, 30m or 1h")
        }
        guard (1...65_536).contains(journalMemory) else { throw ValidationError("--journal-memory is from 1 to 65536 MiB") }
        for (flag, address) in [("--host", host), ("--admin-host", adminHost)] where !ServeCommand.isLoopback(address) && adminToken == nil {
            throw ValidationError("found \(flag) \(address), which others can reach, and no --admin-token; expected one")
        }
    }

    func run() async throws {
        var configuration = ServerConfiguration(seed: seed ?? UInt64.random(in: 0..<1 << 32))
        (configuration.host, configuration.port, configuration.corsOrigin) = (host, port, cors)
        (configuration.adminHost, configuration.adminPort, configuration.adminToken) = (adminHost, adminPort, adminToken)
        configuration.journalMemory = journalMemory << 20
        configuration.sessionTimeToLive = Duration(text: sessionTtl) ?? configuration.sessionTimeToLive
        FileLimit.raise()
        let people = quiet ? nil : Output.errors
        // Before anything answers: whoever sees the first answer may end us at once.
        let signals = await UnixSignalsSequence(trapping: .sigterm, .sigint)
        do {
            let library = BankLibrary.find(stubs, readsExpected: false)
            let sources = try library.sources(banks)
            let server = try await StubServer(sources, configuration, logger: Logger(label: "counterfoil"))
            let ready = ReadyNotice(server: server, seed: configuration.seed, file: readyFile, people: people)
            let waiting = Task {
                for await _ in signals {
                    people?.line("counterfoil: ending; answers under way are finished")
                    server.requestEnd()
                }
            }
            defer { waiting.cancel() }
            try await server.run(version: Counterfoil.versionText) { event in
                switch event {
                case .adminReady(let address): ready.tell(admin: address)
                case .reloaded(let bank): people?.line("counterfoil: bank \(bank) was edited and is taken in")
                case .refused(let bank, let reason):
                    Output.errors.line("counterfoil: bank \(bank) was edited and is faulty; the old one stays\n\(reason)")
                }
            }
        } catch let error as ComplaintsError {
            Output.errors.line("\(error)\ncounterfoil: nothing is served; mend the files and start again")
            throw ExitCode(2)
        } catch let error as ServerError {
            Output.errors.line("counterfoil: \(error)")
            throw ExitCode(2)
        }
    }

    private static func isLoopback(_ host: String) -> Bool {
        host == "localhost" || host == "::1" || host.hasPrefix("127.")
    }
}
