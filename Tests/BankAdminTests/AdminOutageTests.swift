import BankAdmin
import BankEngine
import BankModel
import Faults
import StubServer
import TestServer
import Testing

/// Outages through the admin API.
@Suite struct AdminOutageTests {
    static let storm = #"{"about": "A test.", "seed": 3, "entries": [{"rules": [{"fault": {"status": {"status": 503}}}]}]}"#
    let clock = request("GET /v1/clock")
    let path = "/sessions/till/outage"

    /// A server with the plans `storm`, and `odd`, which is invalid.
    private func withPlans(_ test: (Admin) async throws -> Void) async throws {
        let source = PlanSource(names: { ["odd", "storm"] }) { name in
            try plan(name == "storm" ? AdminOutageTests.storm : "{}", name: name)
        }
        try await withAdmin(plans: source, test)
    }

    @Test func `plans are listed and shown`() async throws {
        try await withPlans { admin in
            let listed = try await admin.call("GET /outages").json["outages"]?.array ?? []
            let shown = try await admin.call("GET /outages/storm")

            #expect(listed.map { $0["name"]?.string } == ["odd", "storm"])
            #expect(listed.last?["about"]?.string == "A test.")
            #expect(listed.first?["error"]?.string?.contains("`about` is missing") == true)
            #expect(shown.json["seed"]?.int == 3)
            #expect(shown.json["entries"]?.array?.count == 1)
        }
    }

    @Test func `an outage is started, seen and stopped`() async throws {
        try await withPlans { admin in
            #expect(try await admin.call("GET \(path)").status == 404)
            let started = try await admin.call("POST \(path)", #"{"name": "storm", "for": "5m", "seed": 9}"#)
            #expect(started.status == 201)
            #expect(started.json["name"]?.string == "storm")
            #expect(started.json["seed"]?.int == 9)
            #expect(started.json["rules"]?.array?.compactMap(\.string) == ["storm-1"])
            #expect(started.json["entries"]?.array?.count == 1)
            #expect(started.json["skipped"]?.array?.isEmpty == true)
            #expect(try await admin.stub.ask(clock).status == 503)

            let seen = try await admin.call("GET \(path)")
            #expect(seen.json["running"] == true)
            #expect(seen.json["rules"]?.array?.first?["fired"]?.int == 1)
            #expect(try await admin.call("DELETE \(path)").status == 204)
            #expect(try await admin.stub.ask(clock).status == 200)
            #expect(try await admin.call("DELETE \(path)").status == 404)
        }
    }

    @Test func `an inline plan takes the place of one that runs only if asked`() async throws {
        try await withPlans { admin in
            let inline = #""plan": {"about": "A.", "entries": [{"rules": [{"fault": {"status": {"status": 502}}}]}]}"#
            #expect(try await admin.call("POST \(path)", #"{"name": "storm"}"#).status == 201)
            #expect(try await admin.call("POST \(path)", "{\(inline)}").status == 409)

            let replaced = try await admin.call("POST \(path)", #"{"replace": true, \#(inline)}"#)

            #expect(replaced.status == 201)
            #expect(replaced.json["name"]?.string == "inline")
            #expect(try await admin.stub.ask(clock).status == 502)
        }
    }

    @Test func `a session can begin with an outage`() async throws {
        try await withPlans { admin in
            let made = try await admin.call("POST /sessions", #"{"bank": "till", "name": "mine", "plan": "storm"}"#)

            #expect(made.status == 201)
            #expect(made.json["outage"]?.string == "storm")
            #expect(try await admin.stub.ask(request("GET /s/mine/v1/clock")).status == 503)
            #expect(try await admin.call("POST /sessions", #"{"bank": "till", "name": "next", "plan": "strom"}"#).status == 404)
            #expect(try await admin.call("GET /sessions/next").status == 404)
        }
    }

    @Test(arguments: [
        (#"{"name": "strom"}"#, 404, "did you mean `storm`?"), (#"{"name": "odd"}"#, 422, "`about` is missing"),
        (#"{"name": "../storm.yaml"}"#, 404, "expected odd or storm"), ("{}", 400, "the name of one, or a `plan`"),
        (#"{"plan": {"about": "A.", "entries": [{}]}}"#, 400, "an entry needs"), (#"{"nmae": "storm"}"#, 400, "did you mean `name`?"),
        (
            #"{"plan": {"about": "A.", "entries": [{"rules": [{"fault": "close", "on": {"role": "atms"}}]}]}}"#, 422,
            "has no operation"
        ),
        (
            #"{"for": "30s", "plan": {"about": "A.", "entries": [{"at": "1m", "rules": [{"fault": "close"}]}]}}"#, 422,
            "the outage inline would end before anything of it begins"
        ),
    ])
    func `a plan that cannot start is a problem with detail`(body: String, status: Int, detail: String) async throws {
        try await withPlans { admin in
            let response = try await admin.call("POST \(path)", body)

            #expect(response.status == status, "\(response.text)")
            #expect(response.json["detail"]?.string?.contains(detail) == true, "\(response.text)")
        }
    }
}
