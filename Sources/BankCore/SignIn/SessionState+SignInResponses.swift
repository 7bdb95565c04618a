import BankModel

/// The responses of the sign-in page.
extension SessionState {
    /// Shows the accounts to a customer who has signed in. Only the browser that has sent the password learns the value of that form.
    mutating func choose(_ pending: Authorization, _ customer: Customer, _ scope: Scope) -> BankResponse {
        let value = newSecret()
        var signedIn = pending
        (signedIn.customer, signedIn.handle) = (customer.login, tokens.digest(value))
        make(.authorization(signedIn, before: pending))
        return form(signedIn, value: value, scope)
    }

    mutating func form(_ authorization: Authorization, value: String, problem: String? = nil, _ scope: Scope) -> BankResponse {
        let request = authorization.request
        let step: SignInPage.Step
        if let challenge = request.challengeNumber.flatMap({ challenges[$0] }) {
            step = .challenge(scope.request.form["username"] ?? "", operation: challenge.operation)
        } else if let customer = authorization.customer.flatMap(customer) {
            step = .accounts(
                choices(request, of: customer).map { SignInPage.Choice(key: $0.key, label: $0.label, isChosen: problem == nil) })
        } else {
            let login = scope.request.form["username"] ?? request.hint ?? ""
            step = .login(login, choosesAccounts: policy(of: request)?.covers != nil)
        }
        let client = request.client.isEmpty ? "An app" : bank.signIn?.client(request.client)?.name ?? request.client
        let form = SignInPage.Form(
            action: scope.request.path.split(separator: "/").last.map(String.init) ?? "", bank: bank.name,
            client: client, scopes: request.scopes, value: value, step: step, problem: problem)
        return signInResponse(problem == nil ? 200 : 400, .form(form), scope)
    }

    mutating func signInResponse(_ status: Int, _ page: SignInPage, _ scope: Scope) -> BankResponse {
        var response = BankResponse(status: status, headers: headers(bank.dialect.headers, scope), body: Array(page.html.utf8))
        response.setHeaders(SignInPage.headers)
        return response
    }

    /// Returns to the client; with an empty address the page shows that it is done.
    mutating func redirect(to address: String, _ scope: Scope) -> BankResponse {
        guard !address.isEmpty else { return signInResponse(200, .done, scope) }
        var response = BankResponse(status: 303, headers: headers(bank.dialect.headers, scope))
        response.setHeaders([
            JournalEntry.Header("Location", address), JournalEntry.Header("Cache-Control", "no-store"),
            JournalEntry.Header("Referrer-Policy", "no-referrer"),
        ])
        return response
    }
}
