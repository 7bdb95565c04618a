package import BankClient
package import BankCore
import BankModel
import Contracts

/// Asks a provider and the stub of the same bank the same questions, and reports where their responses differ.
///
/// Without leave to write it sends nothing but reads, and the bank's own sign-in if it is given a password.
package struct ProviderRun: Sendable {
    let bank: Bank
    let options: ProviderOptions
    let provider: ProviderSide
    let stub: StubSide

    /// - Parameters:
    ///   - provider: the API's address, to which the operations' paths are added; no trailing slash, no credentials.
    ///   - transport: one that follows no redirect.
    package init(_ bank: Bank, provider: String, transport: any HTTPTransport, options: ProviderOptions) {
        self.bank = bank
        self.options = options
        self.provider = ProviderSide(provider, transport)
        stub = StubSide(bank, at: options.now)
    }

    /// Checks all that can be.
    package func run() async -> ProviderReport {
        var report = ProviderReport(bank: bank.name, provider: provider.baseURL, checks: [], requests: 0)
        let token = await signIn(&report)
        var reads = ReadRound(
            bank.reads, of: provider, token: token, known: options.known, limits: .init(samples: options.samples, pages: 2), at: options.now
        )
        var ownReads = stubRounds()
        let payment = await pay(token: token, &reads, &ownReads, &report)
        await reads.run()
        for index in ownReads.indices { await ownReads[index].run() }
        if provider.requests > 0, reads.isWithoutResponse, report.trouble == nil { report.trouble = reads.firstSilence }

        report.checks += bank.reads.map { check($0, reads, ownReads) }
        report.checks += await rejections(reads, ownReads)
        let revoked = await revocation(reads, ownReads, &report)
        report.checks += revoked + payment
        report.requests = provider.requests
        return report.hiding(options.credentials?.secret, token)
    }

    /// The stub, asked as each of its customers: the more it shows, the better is known what may be left out.
    private func stubRounds() -> [ReadRound] {
        let tokens = bank.customers.filter { !$0.locked }.prefix(8).compactMap { stub.token(for: $0.login) }
        return (tokens.isEmpty ? [nil] : tokens.map(Optional.some)).map { token in
            ReadRound(bank.reads, of: stub, token: token, known: [:], limits: .init(samples: 40, pages: 20), at: options.now)
        }
    }

    private func check(_ read: ReadableOperation, _ reads: ReadRound, _ ownReads: [ReadRound]) -> ProviderReport.Check {
        let operation = read.operation
        let own = ownReads.flatMap { $0.exchanges[read.index] ?? [] }.compactMap(\.answer.response).filter { $0.status < 400 }
        let isOpen = operation.access == .open
        let judging = ReadJudging(stub: own, provider: reads.exchanges[read.index] ?? [], wasAuthorised: !isOpen)
        var (verdict, drifts, notes) = judging.outcome
        if own.isEmpty {
            verdict = .notExercised
            drifts = []
            notes = ["the stub has no response to compare with"]
        }
        if verdict == .notExercised, notes.isEmpty { notes = [reasonNotAsked(read, reads)] }
        return ProviderReport.Check(
            suite: .shapes, name: operation.name, request: operation.requestLine,
            why: "The response to \(operation.name) has the status, content type and fields of the stub's response.", verdict: verdict,
            drifts: drifts, notes: notes)
    }

    /// Why what needs a token was not asked without one.
    var wantsToken: String {
        options.credentials == nil ? "it needs a token: pass --login or --token-file" : "it needs a token, and the sign-in returned none"
    }

    private func reasonNotAsked(_ read: ReadableOperation, _ reads: ReadRound) -> String {
        if let why = reads.unfillable[read.index] { return why }
        if read.operation.access != .open, reads.token == nil { return wantsToken }
        let names = read.operation.path.parameters.map { "--set \(read.operation.name).\($0)=…" }
        return "no response contained a value for \(read.operation.requestLine): pass \(names.joined(separator: " "))"
    }

    /// The token to read with: the one that was given, or of a sign-in; nil without credentials, or if they were rejected.
    func signIn(_ report: inout ProviderReport) async -> String? {
        switch options.credentials {
        case nil: return nil
        case .token(let text)?: return text
        case .login(let user, let password)?:
            guard let operation = bank.signIn else {
                report.trouble = "the bank \(bank.name) has no sign-in operation; pass a token with --token-file"
                return nil
            }
            let own = await stubSignIn(operation)
            let answer = await ask(provider, operation, user: user, password: password)
            guard case .response(let response) = answer else {
                if case .nothing(let why) = answer { report.trouble = why }
                return nil
            }
            let token = operation.accessToken(in: response)
            guard response.status < 300 else {
                report.trouble =
                    response.status >= 400
                    ? "the sign-in was rejected with status \(response.statusText)"
                    : "the sign-in got the status \(response.statusText); check the address"
                return token
            }
            if token == nil { report.trouble = "the sign-in response has no token where the stub's response has it" }
            let drifts = ResponseComparison(stub: own.map { [$0] } ?? [], provider: [response]).drifts
            report.checks.append(
                ProviderReport.Check(
                    suite: .shapes, name: operation.name, request: operation.requestLine,
                    why: "The response to a sign-in has the status, content type and fields of the stub's response.",
                    verdict: drifts.isEmpty ? .pass : .fail, drifts: drifts))
            return token
        }
    }

    /// A fresh token of the caller's, made by signing in once more; nil without a password.
    func freshToken() async -> String? {
        guard case .login(let user, let password)? = options.credentials, let operation = bank.signIn,
            case .response(let response) = await ask(provider, operation, user: user, password: password), response.status < 300
        else { return nil }
        return operation.accessToken(in: response)
    }

    private func stubSignIn(_ operation: Operation) async -> ObservedResponse? {
        guard let customer = bank.customers.first(where: { !$0.locked && $0.password != nil }), let password = customer.password else {
            return nil
        }
        return await ask(stub, operation, user: customer.login, password: password).response
    }

    private func ask(_ side: any AskedBank, _ operation: Operation, user: String, password: String) async -> ProviderAnswer {
        guard case .password(let userLocation, let passwordLocation, _)? = operation.grant else {
            return .nothing("the bank has no sign-in")
        }
        do throws(UnfillableCall) {
            var call = try CallBuilder(operation)
            try call.put(.string(user), at: userLocation)
            try call.put(.string(password), at: passwordLocation)
            return await side.ask(try call.request())
        } catch {
            return .nothing("\(error)")
        }
    }
}

extension ReadRound {
    /// The first reason for which a request was not answered.
    fileprivate var firstSilence: String? {
        for (_, all) in exchanges.sorted(by: { $0.key < $1.key }) {
            for case .nothing(let why) in all.map(\.answer) { return why }
        }
        return nil
    }

    /// Whether requests were made and none was answered.
    fileprivate var isWithoutResponse: Bool {
        let answers = exchanges.values.joined().map(\.answer)
        return !answers.isEmpty && answers.allSatisfy { $0.response == nil }
    }
}

extension ProviderReport {
    /// The same without those texts, wherever they may have got to.
    fileprivate func hiding(_ secrets: String?...) -> ProviderReport {
        var report = self
        for secret in secrets.compactMap(\.self) where !secret.isEmpty {
            let hide = { (text: String) in Secret.hide(secret, in: text) }
            report.trouble = report.trouble.map(hide)
            for index in report.checks.indices { report.checks[index].notes = report.checks[index].notes.map(hide) }
        }
        return report
    }
}

extension Bank {
    /// The call by which a customer signs in with a password.
    fileprivate var signIn: Operation? {
        operations.first { operation in if case .password = operation.grant { true } else { false } }
    }
}

extension Operation {
    /// The access token in a response, where the operation's own response has it.
    fileprivate func accessToken(in response: ObservedResponse) -> String? {
        guard let path = ResponseLocations(self).accessToken, let text = response.json?.at(steps: path)?.string, !text.isEmpty else {
            return nil
        }
        return text
    }
}
