import BankModel
import Testing

@testable import BankImport

/// Toxics become rules of a plan.
@Suite struct ToxiproxyTests {
    private func imported(_ text: String, proxy: String? = nil) throws(ComplaintsError) -> Imported {
        try ToxiproxyImport(proxy: proxy).convert(ImportFile("toxiproxy.json", text), to: "toxics.yaml")
    }

    private func toxics(_ toxics: String, enabled: Bool = true) throws(ComplaintsError) -> Imported {
        try imported(#"{"bank": {"name": "bank", "listen": "x", "upstream": "y", "enabled": \#(enabled), "toxics": [\#(toxics)]}}"#)
    }

    private func complaints(_ text: String, proxy: String? = nil) -> [String] {
        do throws(ComplaintsError) {
            _ = try imported(text, proxy: proxy)
            return []
        } catch { return error.complaints.map(\.description) }
    }

    @Test(arguments: [
        (#"{"type": "latency", "attributes": {"latency": 300}}"#, #"{"delay":{"at_point":"head","fixed":"300ms"}}"#),
        (
            #"{"type": "latency", "attributes": {"latency": 300, "jitter": 100}}"#,
            #"{"delay":{"at_point":"head","uniform":{"from":"200ms","to":"400ms"}}}"#
        ),
        (
            #"{"type": "latency", "attributes": {"latency": 50, "jitter": 100}}"#,
            #"{"delay":{"at_point":"head","uniform":{"from":"0ms","to":"150ms"}}}"#
        ),
        (#"{"type": "latency", "stream": "upstream", "attributes": {"latency": 1000}}"#, #"{"delay":{"at_point":"request","fixed":"1s"}}"#),
        (#"{"type": "timeout", "stream": "upstream", "attributes": {"timeout": 0}}"#, #"{"hang":{}}"#),
        (#"{"type": "timeout", "stream": "upstream", "attributes": {"timeout": 1500}}"#, #"{"close":{},"after":"1500ms"}"#),
        (#"{"type": "timeout", "stream": "downstream", "attributes": {"timeout": 0}}"#, #"{"lose-reply":{"by":"hang"}}"#),
        (#"{"type": "timeout", "attributes": {"timeout": 200}}"#, #"{"lose-reply":{"by":"close"},"after":"200ms"}"#),
        (#"{"type": "reset_peer", "stream": "upstream", "attributes": {"timeout": 0}}"#, #"{"reset":{}}"#),
        (#"{"type": "reset_peer", "attributes": {"timeout": 2000}}"#, #"{"lose-reply":{"by":"reset"},"after":"2s"}"#),
    ])
    func `a toxic is a rule`(_ toxic: String, _ fault: String) throws {
        let imported = try toxics(toxic)

        #expect(try imported.rules("toxics.yaml") == ["{\"fault\":\(fault)}"])
        #expect(imported.warnings == [])
        #expect(imported.rules == 1)
    }

    @Test(arguments: [
        (#"{"type": "bandwidth", "attributes": {"rate": 20}}"#, #"{"fault":{"bandwidth":{"bytes_per_second":20000}}}"#, ""),
        (
            #"{"type": "slicer", "attributes": {"average_size": 100, "size_variation": 10, "delay": 20000}}"#,
            #"{"fault":{"slow":{"bytes_per_second":5000}}}"#, ""
        ),
        (#"{"type": "limit_data", "attributes": {"bytes": 64}}"#, #"{"fault":{"truncate":{"at":64,"framing":"short"}}}"#, ""),
        (
            #"{"type": "latency", "toxicity": 0.25, "attributes": {"latency": 5}}"#,
            #"{"fault":{"delay":{"at_point":"head","fixed":"5ms"}},"probability":0.25}"#, ".toxicity"
        ),
    ])
    func `what is not quite the same is listed`(_ toxic: String, _ rule: String, _ location: String) throws {
        let imported = try toxics(toxic)

        #expect(try imported.rules("toxics.yaml") == [rule])
        #expect(imported.warnings.map(\.path) == ["$.bank.toxics[0]" + location])
        #expect(imported.warnings.map(\.effect) == [.approximate])
        #expect(imported.warnings.map(\.item) == ["bank"])
    }

    @Test(arguments: [
        #"{"type": "slow_close", "attributes": {"delay": 100}}"#, #"{"type": "slicer", "attributes": {"average_size": 100, "delay": 0}}"#,
        #"{"type": "limit_data", "stream": "upstream", "attributes": {"bytes": 1}}"#, #"{"type": "bandwidth", "attributes": {"rate": 0}}"#,
        #"{"type": "latency", "attributes": {}}"#, #"{"type": "latency", "toxicity": 0, "attributes": {"latency": 5}}"#,
        #"{"type": "noop"}"#,
        #"{"type": "reset_peer", "attributes": {"timeout": 9}}"#,
    ])
    func `a toxic that cannot be converted is listed`(_ toxic: String) throws {
        let imported = try toxics(#"{"type": "timeout", "attributes": {"timeout": 0}}, \#(toxic)"#)

        #expect(try imported.rules("toxics.yaml").count == 1)
        #expect(imported.warnings.map(\.effect) == [.ignored], "\(imported.warnings)")
        #expect(imported.warnings.first?.path.hasPrefix("$.bank.toxics[1]") == true)
    }

    @Test func `a proxy that is down refuses connections`() throws {
        let imported = try toxics(#"{"type": "latency", "attributes": {"latency": 300}}"#, enabled: false)

        #expect(try imported.rules("toxics.yaml") == [#"{"fault":"refuse"}"#])
        #expect(imported.warnings.map(\.path) == ["$.bank.toxics[0]"])
    }

    @Test func `of several proxies one must be named`() throws {
        let text = #"[{"name": "bank", "enabled": false}, {"name": "mail", "enabled": true}]"#

        #expect(try imported(text, proxy: "bank").rules == 1)
        #expect(complaints(text) == ["toxiproxy.json: found 2 proxies, expected one proxy, or --proxy with bank or mail"])
        #expect(complaints(text, proxy: "bnk") == ["toxiproxy.json: found no proxy `bnk`, expected bank or mail; did you mean `bank`?"])
        #expect(
            complaints(text, proxy: "mail") == [
                "toxiproxy.json: found no convertible toxic, expected at least one: a plan needs a rule"
            ])
    }

    @Test func `proxies of one name are not chosen from`() throws {
        let text = #"[{"name": "bank", "enabled": false}, {"name": "mail", "enabled": false}, {"name": "bank", "enabled": true}]"#

        #expect(try imported(text, proxy: "mail").rules == 1)
        #expect(complaints(text) == ["toxiproxy.json: found 3 proxies, expected one proxy, or --proxy with bank or mail"])
        let ambiguous: [(file: String, proxy: String?)] = [(text, "bank"), (#"[{"name": "bank"}, {"name": "bank"}]"#, nil)]
        for (file, proxy) in ambiguous {
            #expect(complaints(file, proxy: proxy) == ["toxiproxy.json: found 2 proxies `bank`, expected one of that name"])
        }
    }

    @Test(arguments: [
        ("[", "toxiproxy.json:1:2: found"), ("[]", "toxiproxy.json: $: found an array, expected an array or object of proxies"),
        ("[1]", "toxiproxy.json: $: found an array, expected an array or object of proxies"),
        (
            #"[{"toxics": [{"type": "latency", "attributes": {"latency": -1}}]}]"#,
            "toxiproxy.json: $[0].toxics[0].attributes.latency: found a number, expected a number of at least 0"
        ),
        (
            #"[{"toxics": [{"type": "latency", "toxicity": 2, "attributes": {"latency": 1}}]}]"#,
            "toxiproxy.json: $[0].toxics[0].toxicity: found a number, expected a number from 0 to 1"
        ),
    ])
    func `what cannot be read is reported`(_ text: String, _ message: String) throws {
        let reported = complaints(text)

        try #require(reported.count == 1, "\(reported)")
        #expect(reported[0].hasPrefix(message), "\(reported)")
    }
}
