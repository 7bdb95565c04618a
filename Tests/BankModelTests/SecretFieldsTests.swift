import BankModel
import Testing

/// Values of secret fields are redacted in texts of any form; everything else remains.
@Suite struct SecretFieldsTests {
    private func body(_ text: String, in side: SecretNames.Side = .request, own: [String] = []) -> String {
        let fields = SecretFields(SecretNames(own: own), in: side) { $0 == "known" ? "token#1" : nil }
        return String(decoding: fields.blanked(body: Array(text.utf8)) ?? Array(text.utf8), as: UTF8.self)
    }

    private func query(_ text: String) -> String {
        SecretFields(SecretNames(), in: .request) { $0 == "known" ? "token#1" : nil }.blanked(query: text) ?? text
    }

    @Test(arguments: [
        ("grant_type=password&password=a+b%2f&x=1", "grant_type=password&password=[redacted]&x=1"),
        ("p%61ssword=a;b=c&x=1", "p%61ssword=[redacted]&x=1"),
        ("user[password]=a&password=b", "user[password]=[redacted]&password=[redacted]"),
        ("token=known&refresh_token=foreign", "token=token#1&refresh_token=[redacted]"), ("password=&pin", "password=&pin"),
        ("username: ann\r\npassword=a b\r\n", "username: ann\r\npassword=[redacted]"),
        (#"{"user": "ann", "password" : "a\"b", "pin": 1234}"#, #"{"user": "ann", "password" : "[redacted]", "pin": "[redacted]"}"#),
        (#"{"p\u0061ssword": "a", "otp": null, "secret": ""}"#, #"{"p\u0061ssword": "[redacted]", "otp": null, "secret": ""}"#),
        (#"[{"login": {"newPassword": {"value": "a}"}}, "n": 1}]"#, #"[{"login": {"newPassword": "[redacted]"}, "n": 1}]"#),
        (#"{"password": "cut of"#, #"{"password": "[redacted]""#), ("{password: 'a', n: 1}", "{password: \"[redacted]\", n: 1}"),
        ("{\"pin\": 1}\n{\"pin\": 2}", "{\"pin\": \"[redacted]\"}\n{\"pin\": \"[redacted]\"}"),
        (#"{"a":1}&password=b"#, #"{"a":1}&password=[redacted]"#),
        (#"{"inner": "{\"password\":\"a\"}"}"#, #"{"inner": "{\"password\":\"[redacted]\"}"}"#),
        (#"{"next": "https://app/?code=abc&n=1"}"#, #"{"next": "https://app/?code=[redacted]&n=1"}"#),
        (#"data={"password":"a"}"#, #"data={"password":"[redacted]"}"#),
        ("data=eyJwYXNzd29yZCI6ImFwcGxlIn0&n=1", "data=[redacted]&n=1"),
        ("next=https%3A%2F%2Fapp%3Fpassword%3Da", "next=https%3A%2F%2Fapp%3Fpassword%3D%5Bredacted%5D"),
        (
            "--b\r\nContent-Disposition: form-data; name=\"password\"\r\n\r\na\r\nb\r\n--b\r\nContent-Disposition: form-data; name=n\r\n\r\n1\r\n--b--\r\n",
            "--b\r\nContent-Disposition: form-data; name=\"password\"\r\n\r\n[redacted]\r\n--b\r\nContent-Disposition: form-data; name=n\r\n\r\n1\r\n--b--\r\n"
        ),
        ("--b\nContent-Disposition: form-data; name=pin\n\n1\n--b--", "--b\nContent-Disposition: form-data; name=pin\n\n[redacted]\n--b--"),
    ])
    func `values go`(_ text: String, _ clean: String) {
        #expect(body(text) == clean)
    }

    @Test(arguments: [
        "reference=My+password+is+apple,+the+code+42&amount=1",
        #"{"reference": "password: apple, and the code: 42 pins", "sort_code": "04-00-04"}"#,
        #"{"currencyCode": "GBP", "page_token": "n2", "cursor": "c", "passport": "x", "spin": 1, "author": "y", "keys": ["password"]}"#,
        "Dear bank, my password = apple; what is the code?", "grant_type=password", "q=pin%20code", #"{"message": "it's a secret: none"}"#,
        #"{"a": "it's", "b": "{not closed", "c": "x=y"}"#, "", "=", "&&", "{", "\"", "--", "a=eyJhIjoxfQ",
        #"{"list": [1, 2.50, true, null], "deep": {"password": null}}"#,
    ])
    func `sentences stay`(_ text: String) {
        #expect(body(text) == text)
        #expect(query(text) == text)
    }

    /// Searching each value for an end beyond the next name took minutes.
    @Test(.timeLimit(.minutes(1)), arguments: ["a=b;", "a=b\n", "password=a&b=c;", "a=\"b\";", "a="])
    func `secrets are found in a megabyte of pairs in linear time`(_ pair: String) {
        let text = String(repeating: pair, count: (1 << 20) / pair.utf8.count)
        #expect(body(text).hasPrefix(pair.hasPrefix("password") ? "password=[redacted]&" : pair))
        #expect(body(#"{"password":"a","b":""# + text.replacing("\"", with: "").replacing("\n", with: ";") + #""}"#).contains("[redacted]"))
    }

    @Test func `an error's code stays in a response`() {
        let text = #"{"code": "AUTH-001", "token": "page-2", "message": "The pin is wrong."}"#

        #expect(body(text, in: .response) == text)
        #expect(
            body(#"{"access_token": "x", "id_token": "known"}"#, in: .response) == #"{"access_token": "[redacted]", "id_token": "token#1"}"#
        )
    }

    @Test func `a header has a secret by its last word, or by the bank's own name`() {
        for name in [
            "X-Auth", "x-credential", "X-Pin", "Authorization", "DPoP", "Set-Cookie", "Ocp-Apim-Subscription-Key", "X-OTP", "Code", "cvv",
        ] {
            #expect(SecretNames().holdHeader(name), "\(name)")
        }
        for name in ["Idempotency-Key", "X-Request-Hash", "Content-Length", "DPoP-Nonce", "X-Author", "X-Error-Code"] {
            #expect(!SecretNames(own: ["X-Bank-Hash"]).holdHeader(name), "\(name)")
        }
        #expect(SecretNames(own: ["X-Bank-Hash"]).holdHeader("x-bank-hash"))
    }

    @Test func `a bank's own names are secrets too`() {
        #expect(body("kennwort=a&n=1", own: ["login.kennwort"]) == "kennwort=[redacted]&n=1")
    }

    @Test(arguments: [
        "password", "passwd", "passcode", "pwd", "otp", "one-time-code", "client_secret", "accessToken", "refresh_token", "auth-token",
        "pass",
        "passphrase", "Passwort", "secret", "TOTP", "id_token", "api_key", "client_assertion", "SAMLResponse", "credentials", "jwt",
        "private_key", "Authorization", "pin", "code", "tan", "cvv", "cvc", "CVV2", "cvc2", "token", "subject_token", "code_verifier",
        "password_2", "id_token_hint", "secret_key", "Ocp-Apim-Subscription-Key",
        "passwordConfirmation", "a.b[c][password][0]", "$.login.pin",
    ])
    func `the quick look misses no name`(_ name: String) {
        let text = Array("\(name)=".utf8)

        #expect(SecretNames().hold(name, in: .request))
        #expect(text.withUnsafeBufferPointer { SecretNames().mayHoldName($0, endingAt: text.count - 1) })
    }
}
