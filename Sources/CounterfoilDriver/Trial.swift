import BankModel
import DriverProtocol
import Foundation

/// The words after `--try`: what the client does once, by hand.
struct Trial: Equatable {
    var url: String
    var steps: [Asked]

    /// One operation with its arguments.
    struct Asked: Equatable {
        var operation: String
        var arguments: [String: String] = [:]
    }

    static let usage = """
        usage: --try URL [OPERATION [NAME=VALUE]…]…, such as --try http://127.0.0.1:8080/counterfoil login user=ava \
        password=correct-horse
        """

    /// - Returns: nil if the words are not an address, then operations, each with its arguments.
    init?(_ words: some Sequence<String>) {
        var words = Array(words)
        guard let first = words.first, first.hasPrefix("http") else { return nil }
        url = first.hasSuffix("/") ? String(first.dropLast()) : first
        words.removeFirst()
        steps = []
        for word in words {
            guard let equals = word.firstIndex(of: "=") else {
                steps.append(Asked(operation: word))
                continue
            }
            guard !steps.isEmpty else { return nil }
            steps[steps.count - 1].arguments[String(word[..<equals])] = String(word[word.index(after: equals)...])
        }
        if steps.isEmpty { steps = [Asked(operation: "status")] }
    }

    /// The case of these steps. Its bank is the last part of the address, if the client speaks that one, else the client's first.
    func start(banks: [String]?, in folder: String) -> CaseStart {
        let named = url.split(separator: "/").last.map(String.init) ?? ""
        let bank = banks.map { $0.contains(named) ? named : $0.first ?? named } ?? named
        return CaseStart(id: "try", baseURL: url, stateDirectory: folder, bank: bank, login: CaseStart.Login())
    }
}

extension Driver {
    /// Performs a trial in a folder that is removed afterwards, also if a signal ends the process: it can hold tokens.
    func attempt(_ trial: Trial, write: (String) -> Void) async {
        let folder = FileManager.default.temporaryDirectory.appending(path: "counterfoil-try-\(UUID().uuidString)")
        let removal = RemovalAtSignal(of: folder)
        defer {
            try? FileManager.default.removeItem(at: folder)
            removal.end()
        }
        do {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            let opened = try await DrivenClient(driver: self).open(
                trial.start(banks: banks, in: folder.path(percentEncoded: false)))
            for asked in trial.steps {
                let arguments = JSON.object(JSONObject(asked.arguments.sorted { $0.key < $1.key }.map { ($0.key, .string($0.value)) }))
                let result = await opened.perform(
                    Step(operation: DriverOperation(rawValue: asked.operation), arguments: StepArguments(arguments)))
                write("\(asked.operation): \(result.words)")
            }
        } catch {
            write("the case cannot be opened: \(error)")
        }
    }
}

extension StepResult {
    /// The result in one line.
    fileprivate var words: String {
        switch self {
        case .ok(let view): "ok \(view.text)"
        case .error(let name, let detail): "error \(name)" + (detail.map { " (\($0))" } ?? "")
        case .silent: "silent"
        case .unsupported: "unsupported"
        }
    }
}
