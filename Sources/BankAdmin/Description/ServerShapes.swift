import BankModel
import Faults

/// The replies of calls to the server as a whole.
enum ServerShapes {
    static let calls = ObjectSchema(
        "the list of calls", "The calls there are.",
        members: [
            .always(
                "calls",
                .each(
                    ObjectSchema(
                        "a listed call",
                        members: [
                            .always("call", .anyText, "its method and path"), .always("does", .anyText, "its effect and its parameters"),
                        ])), "the calls")
        ])

    static let health = ObjectSchema(
        "the health", "That the server answers.", members: [.always("status", .words(["ok"]), "always the same")])

    static let version = ObjectSchema(
        "the version", "The program and what it serves.",
        members: [
            .always("version", .anyText, "the program's"), .always("seed", .count, "the server's"),
            .always("banks", .texts, "the names of the banks"), .sometimes("node", .anyText, "the server's name among several"),
        ])

    private static let operation = ObjectSchema(
        "an operation", named: "listed-operation",
        members: [
            .always("name", .anyText, "its name"), .always("request", .anyText, "its method and path"),
            .always("roles", .texts, "what a client uses it for"),
        ])

    private static let bank = ObjectSchema(
        "a bank", named: "listed-bank",
        members: [
            .always("name", .anyText, "its name"), .always("about", .anyText, "one sentence for people"),
            .always("base_url", .anyText, "the address of its standing session"), .always("dialect", .anyText, "how it says no"),
            .always("operations", .each(operation), "its calls"),
            .always("roles", .map(keys: "roles", .texts), "the operations of each role"),
            .always("customers", .texts, "the logins of its customers"),
            .always("example", .orNull(.anyText), "a path that can be read without more; null if there is none"),
            .always("needs_token", .bool, "whether it has tokens"),
        ])

    static let banks = ObjectSchema("the banks", "The banks that are served.", members: [.always("banks", .each(bank), "the banks")])

    private static let kind = ObjectSchema(
        "a kind of fault",
        members: [
            .always("kind", .anyText, "its name"), .always("point", .orNull(.one(of: FaultPoint.self)), "where its example acts"),
            .always("about", .anyText, "what happens"),
            .always("protocols", .list(.one(of: WireProtocol.self), atLeast: 0), "what can carry it"),
            .always("effects", .list(.one(of: FaultEffect.self), atLeast: 0), "what it does to a request's response or connection"),
            .always("need", .orNull(.one(of: FaultNeed.self)), "the requests to which it can apply; null for all"),
            .always("example", .any, "settings to begin with"),
        ])

    static let kinds = ObjectSchema(
        "the kinds of fault", "Every kind of fault.",
        members: [.always("kinds", .each(kind), "the kinds"), .always("schema", .any, "the JSON Schema of a rule")])

    private static let listedPlan = ObjectSchema(
        "a listed plan", "Its `about`, or the error of its file.",
        members: [
            .always("name", .anyText, "its name"), .sometimes("about", .anyText, "one sentence for people"),
            .sometimes("error", .anyText, "why its file cannot be read"),
        ])

    static let plans = ObjectSchema(
        "the plans", "The outages that can be started by name.", members: [.always("outages", .each(listedPlan), "the plans")])

    static let plan = ObjectSchema(
        "a named plan", "A plan with its name.", members: [.always("name", .anyText, "its name")] + Plan.schema.fields)
}
