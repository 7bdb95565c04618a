import BankModel

/// Invariants on secrets.
extension Scene {
    func noSecretInAddress() -> InvariantFinding {
        var finding = InvariantFinding()
        if !exchanges.isEmpty { finding.look() }
        for text in secretsInAddresses(.tokens) + secretsInAddresses(.password) {
            finding.look(Unmet(.violation, expected: "no token and no password in a URL", seen: text))
        }
        return finding
    }

    /// A password is never written down, nor is what the bank calls sensitive; a token stands in clear only where no other
    /// user can read it, which ``filesPrivate(mode:)`` sees to, and only in the client's own folder.
    func noSecretOnDiskInClear() -> InvariantFinding {
        var finding = InvariantFinding()
        let isWhole = !evidence.unsearched.contains { $0.mayHoldSecret && $0.path != Evidence.Finding.log }
        if isWhole, !evidence.owners.isEmpty || !instance.bank.customers.isEmpty { finding.look() }
        for found in evidence.findings where found.place == .disk {
            let isOutside = found.path.hasPrefix("../")
            guard found.kind != .token || isOutside else { continue }
            let expected = found.kind == .token ? "no token outside the client's own folder" : "\(name(found.kind)) on disk in clear text"
            finding.look(Unmet(.breach, expected: expected, seen: text(found)))
        }
        return finding
    }

    func noSecretInLog() -> InvariantFinding {
        var finding = InvariantFinding()
        let isWhole = !evidence.unsearched.contains { $0.path == Evidence.Finding.log }
        if isWhole, !evidence.owners.isEmpty || !instance.bank.customers.isEmpty { finding.look() }
        for found in evidence.findings where found.place == .log && found.kind != .data {
            finding.look(Unmet(.breach, expected: "\(name(found.kind)) in what the client writes or says", seen: text(found)))
        }
        return finding
    }

    /// A file that holds a secret can be reached by its owner alone.
    func filesPrivate(mode: Int) -> InvariantFinding {
        var finding = InvariantFinding()
        for found in evidence.findings where found.place == .disk {
            guard let own = found.mode else { continue }
            let expected = "a file with a secret is accessible to its owner only (\(DiskPredicate.octal(mode)))"
            let seen = "\(found.path), with \(found.token), has the mode \(DiskPredicate.octal(own))"
            finding.look(own & ~mode == 0 ? nil : Unmet(.breach, expected: expected, seen: seen))
        }
        return finding
    }

    /// Nothing goes in clear text to a bank whose address is one of TLS.
    func tlsStaysTLS() -> InvariantFinding {
        var finding = InvariantFinding()
        guard evidence.baseURL.hasPrefix("https:") else { return finding }
        for exchange in exchanges where exchange.method != nil {
            let seen = "exchange \(exchange.seq), \(exchange.method ?? "") \(exchange.path), arrived in clear text"
            let expected = "every request to \(hostName(evidence.baseURL)) goes over TLS"
            finding.look(exchange.tls == nil ? Unmet(.violation, expected: expected, seen: seen) : nil)
        }
        return finding
    }

    /// Nothing that is the customer's goes to another host, and nobody is asked there whom the bank did not name.
    func noForeignHost() -> InvariantFinding {
        var finding = InvariantFinding()
        let own = hostName(evidence.baseURL)
        for (index, exchange) in exchanges.enumerated() {
            guard let host = exchange.host.map(hostName), exchange.method != nil else { continue }
            guard host != own else {
                finding.look()
                continue
            }
            let isLed = exchanges[..<index].contains { $0.isStatus(3) && hostName($0.replyHeader("location") ?? "") == host }
            let carried = exchange.load ?? (isLed ? nil : "a request")
            let expected = "nothing is sent to a host other than the bank's, \(own)"
            finding.look(
                carried.map { Unmet(.violation, expected: expected, seen: "exchange \(exchange.seq) sent \($0) to \(host)") })
        }
        return finding
    }

    private func name(_ kind: Evidence.Finding.Kind) -> String {
        switch kind {
        case .token: SecretChoice.tokens.name
        case .data: SecretChoice.data.name
        case .password: SecretChoice.password.name
        }
    }

    private func text(_ found: Evidence.Finding) -> String {
        let time =
            found.isDuring
            ? ", while step \(found.after) was running" : found.after == Evidence.Finding.atEnd ? "" : ", after step \(found.after)"
        return "\(found.token) is in \(found.path), \(found.encoding)\(time)"
    }
}

extension JournalEntry {
    /// The gravest thing of the customer's that a request brings; nil for one that asks and no more.
    fileprivate var load: String? {
        if carriesAnyToken || token == "unknown" { return "a token" }
        if key != nil { return "a key" }
        if bodyBytes > 0 { return "a body" }
        return carriesCookie ? "a cookie" : nil
    }
}
