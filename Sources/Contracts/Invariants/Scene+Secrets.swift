import BankModel

/// Invariants on secrets.
extension Scene {
    func noSecretInAddress() -> Findings {
        var findings = Findings()
        if !exchanges.isEmpty { findings.add() }
        for text in secretsInAddresses(.tokens) + secretsInAddresses(.password) {
            findings.add(Unmet(.violation, .secretInAddress(text, "no token and no password")))
        }
        return findings
    }

    /// A password is never written down, nor is what the bank calls sensitive; a token stands in clear only where no other
    /// user can read it, which ``filesPrivate(mode:)`` sees to, and only in the client's own folder.
    func noSecretOnDiskInClear() -> Findings {
        var findings = Findings()
        let isWhole = !evidence.unsearched.contains { $0.mayHoldSecret && $0.path != Evidence.Finding.log }
        if isWhole, !evidence.owners.isEmpty || instance?.bank.customers.isEmpty == false { findings.add() }
        for found in evidence.findings where found.place == .disk {
            let isOutside = found.path.hasPrefix("../")
            guard found.kind != .token || isOutside else { continue }
            let rule: Phrase =
                found.kind == .token
                ? "a client stores tokens in its own folder only" : "a client stores \(fixed: name(found.kind)) in clear text"
            findings.add(Unmet(.breach, .secretOnDisk(text(found), rule)))
        }
        return findings
    }

    func noSecretInLog() -> Findings {
        var findings = Findings()
        let isWhole = !evidence.unsearched.contains { $0.path == Evidence.Finding.log }
        if isWhole, !evidence.owners.isEmpty || instance?.bank.customers.isEmpty == false { findings.add() }
        for found in evidence.findings where found.place == .log && found.kind != .data {
            findings.add(Unmet(.breach, .secretShown(text(found), name(found.kind))))
        }
        return findings
    }

    /// A file that holds a secret can be reached by its owner alone.
    func filesPrivate(mode: Int) -> Findings {
        var findings = Findings()
        for found in evidence.findings where found.place == .disk {
            guard let own = found.mode else { continue }
            let isPrivate = own & ~mode == 0
            let message = Finding.modeTooWide(found.path, DiskPredicate.octal(own), most: DiskPredicate.octal(mode))
            findings.add(isPrivate ? nil : Unmet(.breach, message))
        }
        return findings
    }

    /// Nothing goes in clear text to a bank whose address is one of TLS.
    func tlsStaysTLS() -> Findings {
        var findings = Findings()
        guard evidence.baseURL.hasPrefix("https:") else { return findings }
        for exchange in exchanges where exchange.method != nil {
            findings.add(exchange.tls == nil ? Unmet(.violation, .clearText(exchange, "a request")) : nil)
        }
        return findings
    }

    /// Nothing that is the customer's goes to another host, and nobody is asked there whom the bank did not name.
    func noForeignHost() -> Findings {
        var findings = Findings()
        let own = hostName(evidence.baseURL)
        for (index, exchange) in exchanges.enumerated() {
            guard let host = exchange.host.map(hostName), exchange.method != nil else { continue }
            guard host != own else {
                findings.add()
                continue
            }
            let isLed = exchanges[..<index].contains { $0.isStatus(3) && hostName($0.replyHeader("location") ?? "") == host }
            let carried = exchange.load ?? (isLed ? nil : "a request")
            findings.add(carried.map { Unmet(.violation, .otherHost(exchange, $0, host: host, own: own)) })
        }
        return findings
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
