import BankCore
import BankFiles
import BankModel
import Testing

/// The bank `login` takes name and password as JSON and as a form.
@Suite struct LoginFormTests {
    private func signIn(_ target: String, _ type: String, _ body: String) throws -> BankResponse {
        var caller = try Caller(Shipped.library.load("login").bank, login: nil)
        return caller.send("POST", target, headers: [JournalEntry.Header("Content-Type", type)], body: body)
    }

    @Test(arguments: [
        ("/login", "application/json", #"{"username": "ava", "password": "correct-horse"}"#),
        ("/", "application/x-www-form-urlencoded", "user=ava&password=correct-horse"),
        ("/", "application/x-www-form-urlencoded; charset=utf-8", "password=correct-horse&user=ava"),
    ])
    func `both give the same token response`(_ target: String, _ type: String, _ body: String) throws {
        let response = try signIn(target, type, body)

        #expect(response.status == 200)
        #expect(response.json["accessToken"]?.string?.isEmpty == false)
        #expect(response.json["tokenType"] == "Bearer")
    }

    @Test(arguments: [
        ("user=ava&password=wrong", 401, "AUTH-001"), ("user=cleo&password=lost-umbrella", 423, "AUTH-003"), ("user=ava", 400, "REQ-400"),
    ])
    func `the form is rejected as the JSON is`(_ form: String, _ status: Int, _ code: String) throws {
        let response = try signIn("/", "application/x-www-form-urlencoded", form)

        #expect(response.status == status)
        #expect(response.json["code"]?.string == code)
    }
}
