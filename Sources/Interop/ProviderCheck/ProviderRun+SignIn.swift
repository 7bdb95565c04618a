import BankCore
import BankModel
import Contracts

extension ProviderRun {
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
            if response.status >= 400 || response.status < 300 && token == nil {
                report.trouble =
                    token == nil && response.status < 300
                    ? "the sign-in response has no token where the stub's response has it"
                    : "the sign-in was rejected with status \(response.statusText)"
            } else if response.status >= 300 {
                report.trouble = "the sign-in got the status \(response.statusText); check the address"
            }
            if response.status < 300 {
                let comparison = ResponseComparison(stub: own.map { [$0] } ?? [], provider: [response])
                report.checks.append(
                    ProviderReport.Check(
                        .shapes, operation.name, request: operation.requestLine,
                        why: "The response to a sign-in has the status, content type and fields of the stub's response.",
                        verdict: comparison.drifts.isEmpty ? .pass : .fail, drifts: comparison.drifts))
            }
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
