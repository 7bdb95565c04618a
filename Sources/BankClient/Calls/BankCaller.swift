package import BankModel

/// Calls one bank: adds the token, refreshes a rejected one, judges answers, retries reads.
package struct BankCaller: Sendable {
    /// The bank's address without a trailing slash.
    package var baseURL: String
    package var transport: any HTTPTransport
    package var rules: any ResponseRules
    package var keeper: any TokenKeeping
    package var reader: any BodyReading = StrictBodyReader()
    package var retry = RetryPolicy(attempts: 3)
    /// Shared by all calls, payments too.
    package var budget = RetryBudget()
    package var clock: any ClientClock = SystemClock()
    package var random = RandomSource()
    /// The headers by which the bank recognises a customer and a request.
    package var conventions = RequestConventions()
    /// Public answers, requested again only if they have changed; nil if every read requests them again.
    package var tagged: TaggedAnswers?

    /// A response and its meaning.
    package struct JudgedResponse: Sendable {
        package var response: HTTPResponse
        package var verdict: ResponseVerdict
    }

    /// The same caller, which sends each call once.
    var once: BankCaller {
        var once = self
        once.retry = .never
        return once
    }

    /// The token of the customer who is signed in.
    func token() async throws(ClientFailure) -> Token {
        guard let token = try await keeper.current() else { throw ClientFailure(.unauthorized, "nobody is signed in", mayHaveLeft: false) }
        return token
    }

    /// One exchange: sent once, and once more with a new token if the bank rejected the old one.
    ///
    /// - Parameter customer: the call's customer: the call is never sent with the token of another. nil means the one who is
    ///   signed in.
    /// - Throws: ``ClientFailure``; `unauthorized` without a request if `customer` is not the one who is signed in. A rejection
    ///   by the bank is a response, not an error.
    package func exchange(_ call: BankCall, of customer: String? = nil) async throws(ClientFailure) -> JudgedResponse {
        guard call.authorised else { return try await send(call, nil) }
        let token = try await token()
        guard customer == nil || customer == token.customer else {
            throw ClientFailure(.unauthorized, "another customer has signed in", mayHaveLeft: false)
        }
        let answer = try await send(call, token)
        guard answer.verdict.tokenRejected else { return answer }
        guard let newer = try await seenByBank({ () async throws(ClientFailure) in try await keeper.replacement(for: token) }) else {
            return answer
        }
        guard customer == nil || customer == newer.customer else { return answer }
        let second = try await seenByBank { () async throws(ClientFailure) in try await send(call, newer) }
        if second.verdict.tokenRejected { try await keeper.discard(newer) }
        return second
    }

    /// Returns the JSON of the response; retries transient failures. Only for calls that may be repeated.
    package func json(_ call: BankCall) async throws(ClientFailure) -> JSON {
        try await read(call) { response throws(ClientFailure) in try reader.json(response) }
    }

    /// Returns the JSON of the response to what the app posts for itself, without the customer's token. It is sent once: what it makes would
    /// otherwise be there twice.
    package func posted(_ body: JSON, to path: String, headers: HTTPHeaders) async throws(ClientFailure) -> JSON {
        try await once.json(.json("POST", path, body.bytes, headers: headers, authorised: false, expected: [201]))
    }

    /// Returns the content of the response; retries transient failures. Only for calls that may be repeated.
    ///
    /// - Parameter content: reads an answer whose status is one of the call's successes.
    package func read<Content>(
        _ call: BankCall, _ content: (HTTPResponse) throws(ClientFailure) -> Content
    ) async throws(ClientFailure) -> Content {
        let began = clock.uptime()
        var attempt = 0
        while true {
            attempt += 1
            do throws(ClientFailure) {
                let found = try content(try success(try await exchange(call), of: call))
                budget.earn()
                return found
            } catch {
                let wait = retry.wait(
                    after: attempt, elapsed: clock.uptime() - began, retryAfter: error.retryAfter, chance: random.fraction())
                guard error.retryable, let wait, budget.spend() else { throw error }
                do { try await clock.sleep(for: wait) } catch {
                    throw ClientFailure(.cancelled, "cancelled while waiting", mayHaveLeft: true)
                }
            }
        }
    }

    /// The JSON of a successful answer. Throws the failure of any other.
    package func content(_ answer: JudgedResponse, of call: BankCall) throws(ClientFailure) -> JSON {
        try reader.json(try success(answer, of: call))
    }

    private func success(_ answer: JudgedResponse, of call: BankCall) throws(ClientFailure) -> HTTPResponse {
        // No dialect treats 304 as success: only a call that expects one does.
        let isUnchanged = answer.response.status == 304 && call.expected.contains(304)
        if answer.verdict.error != nil, !isUnchanged { throw failure(answer) }
        guard call.expected.contains(answer.response.status) else {
            throw ClientFailure(.decode, "found status \(answer.response.status), which is not defined for this call", mayHaveLeft: true)
        }
        return answer.response
    }

    /// The failure that a rejection means.
    package func failure(_ answer: JudgedResponse) -> ClientFailure {
        ClientFailure(
            answer.verdict, status: answer.response.status, retryAfter: RetryAfterHeader.wait(answer.response.headers, now: clock.now()))
    }

    private func send(_ call: BankCall, _ token: Token?) async throws(ClientFailure) -> JudgedResponse {
        var request = HTTPRequest(call.method, baseURL + call.path, headers: call.headers, body: call.body)
        request.needsNewConnection = call.needsNewConnection
        // A path such as `@other.example` would change the address's host.
        guard call.path.hasPrefix("/"), Origin(request.url) == Origin(baseURL) else {
            throw ClientFailure(.decode, "found a path that leads away from the bank, expected one that begins with /", mayHaveLeft: false)
        }
        conventions.add(token, to: &request.headers, random)
        do throws(TransportFailure) {
            let response = try await transport.send(request)
            var verdict = rules.judge(response)
            // Some banks repeat the request in their errors.
            if let token {
                verdict.detail = Secret.hide(token.access, in: verdict.detail)
            } else if let own = call.headers["Authorization"]?.split(separator: " ").last {
                verdict.detail = Secret.hide(String(own), in: verdict.detail)
            }
            return JudgedResponse(response: response, verdict: verdict)
        } catch {
            throw ClientFailure(error)
        }
    }

    /// Marks a failure after the first response: the bank has seen the request.
    private func seenByBank<Value>(_ body: () async throws(ClientFailure) -> Value) async throws(ClientFailure) -> Value {
        do throws(ClientFailure) { return try await body() } catch {
            var failure = error
            failure.mayHaveLeft = true
            throw failure
        }
    }
}
