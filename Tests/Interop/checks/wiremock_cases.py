"""Mappings of our own making for every matcher, fault and delay of WireMock 2.35, and what to ask of them.

Each case lives below a path of its own. What a case does not list in `notes` comes through without a difference: all its requests
are answered alike. Each lists what the import reports, by location and effect, and `differs` are requests that show why.
"""
from base64 import b64encode
from dataclasses import dataclass, field


@dataclass
class Request:
    method: str
    target: str
    body: bytes = b""
    # A list of pairs: a name may come twice.
    headers: list = field(default_factory=list)


@dataclass
class Case:
    name: str
    mappings: list
    same: list = field(default_factory=list)
    differs: list = field(default_factory=list)
    # Places below the case's file, such as "[0].request.method", each with its effect.
    notes: dict = field(default_factory=dict)
    files: dict = field(default_factory=dict)
    # The case's mappings are in a file each, in this order.
    split: bool = False


cases = []


def case(name, mappings, same=(), differs=(), notes=None, files=None, split=False):
    mappings = mappings if isinstance(mappings, list) else [mappings]
    cases.append(Case(name, mappings, list(same), list(differs), notes or {}, files or {}, split))


def ask(method, target, body=b"", **headers):
    """`X_A="b"` becomes `X-A: b`; of a list each is a line of its own."""
    lines = []
    for name, value in headers.items():
        lines += [(name.replace("_", "-"), text) for text in (value if isinstance(value, list) else [value])]
    return Request(method, target, body if isinstance(body, bytes) else body.encode(), lines)


def get(target, **headers):
    return ask("GET", target, **headers)


def post(target, body, **headers):
    return ask("POST", target, body, **headers)


def mapping(url, response=None, method="GET", kind="url", **rest):
    """A mapping whose request has further members; `priority` and the like go into `response` as `top`."""
    top = rest.pop("top", {})
    request = {"method": method, kind: url, **rest}
    return {"request": request, "response": response if response is not None else {"body": "fits"}, **top}


# Methods.
for method in ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"]:
    others = [m for m in ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD"] if m != method]
    case(f"method-{method.lower()}", mapping(f"/method-{method.lower()}", method=method),
         [ask(m, f"/method-{method.lower()}") for m in [method, *others]])
for method in ["TRACE"]:
    case(f"method-{method.lower()}", mapping(f"/method-{method.lower()}", method=method), [get(f"/method-{method.lower()}")],
         [], {"[0].request.method": "left-out"})
case("method-options", mapping("/method-options", method="OPTIONS"), [get("/method-options"), ask("OPTIONS", "/method-options")])
case("method-any", mapping("/method-any", method="ANY"), [ask(m, "/method-any") for m in ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"]],
     [ask("BREW", "/method-any")], {"[0].request.method": "narrower"})

# Addresses.
case("url", mapping("/url?a=1&b=2"), [get("/url?a=1&b=2"), get("/url"), get("/url?b=2&a=1"), get("/url?a=1&b=2&c"), get("/url/")])
case("url-plain", mapping("/url-plain"), [get("/url-plain"), get("/url-plain?"), get("/url-plain?a"), get("/URL-plain")])
case("url-path", mapping("/url-path/a", kind="urlPath"), [get("/url-path/a"), get("/url-path/a?b=c"), get("/url-path/a/"), get("/url-path/b")])
case("url-escaped", mapping("/url-escaped/a%20b", kind="urlPath"),
     [get("/url-escaped/a%20b"), get("/url-escaped/a+b"), get("/url-escaped/%61%20b")])
case("url-letters", mapping("/url-letters/abc", kind="urlPath"), [get("/url-letters/abc"), get("/url-letters/%61bc")])
case("url-pattern", mapping("/url-pattern/[^/]+\\?a=.*", kind="urlPattern"),
     [get("/url-pattern/x?a=1"), get("/url-pattern/x?a="), get("/url-pattern/x"), get("/url-pattern/x?b=1"), get("/url-pattern//?a=1")])
case("url-path-pattern", mapping("/url-path-pattern/[^/]+/end", kind="urlPathPattern"),
     [get("/url-path-pattern/x/end"), get("/url-path-pattern/x/end?q"), get("/url-path-pattern/x/y/end"), get("/url-path-pattern//end"),
      get("/url-path-pattern/%78%2F/end")])
case("url-path-digits", mapping("/url-path-digits/[0-9]+", kind="urlPathPattern"), [get("/url-path-digits/12"), get("/url-path-digits/x")])
case("url-path-rest", mapping("/url-path-rest/.*", kind="urlPathPattern"), [get("/url-path-rest/a"), get("/url-path-rest/a?b"),
      get("/url-path-rest/a/b"), get("/url-path-rest/"), get("/url-path-rest"), get("/url-path-rest//")])
case("url-path-alternatives", mapping("/url-path-alternatives/(a|b)", kind="urlPathPattern"), [get("/url-path-alternatives/a"), get("/url-path-alternatives/c")])
case("url-none", {"request": {"method": "GET", "headers": {"X-None": {"equalTo": "a"}}}, "response": {}, "priority": 90},
     [get("/nobody"), get("/nobody", X_None="a"), get("/", X_None="a"), get("/a/b/?c", X_None="a")])

case("url-signs", mapping("/url-signs/a;b=c/@d:e,f!", kind="urlPath"), [get("/url-signs/a;b=c/@d:e,f!"), get("/url-signs/a")])
case("url-empty-query", mapping("/url-empty-query\\?a=", kind="urlPattern"), [get("/url-empty-query?a="), get("/url-empty-query"), get("/url-empty-query?a=b")])
case("url-pattern-plain", mapping("/url-pattern-plain/[^/?]+", kind="urlPattern"), [get("/url-pattern-plain/a"), get("/url-pattern-plain/a?b")])
case("url-pattern-rest", mapping("/url-pattern-rest/.*", kind="urlPattern"), [get("/url-pattern-rest/a"), get("/url-pattern-rest/a?b=c"),
      get("/url-pattern-rest/a/b"), get("/url-pattern-rest/?"), get("/url-pattern-res/a")])

# Matchers of a text, on queries and headers.
def matcher(name, wanted, same, differs=(), notes=None):
    """One mapping with the matcher on a query field, one with it on a header."""
    query, header = f"/{name}-query", f"/{name}-header"
    both = [mapping(query, kind="urlPath", queryParameters={"q": wanted}), mapping(header, kind="urlPath", headers={"X-Q": wanted})]

    def asked(texts):
        return [get(query if t is None else f"{query}?q={t}") for t in texts] + [
            get(header) if t is None else get(header, X_Q=t) for t in texts]

    listed = {}
    for (place, effect) in (notes or {}).items():
        listed[f"[0].request.queryParameters.q{place}"] = effect
        listed[f"[1].request.headers['X-Q']{place}"] = effect
    case(name, both, asked(same), asked(differs), listed)


matcher("equal-to", {"equalTo": "abc"}, ["abc", "abcd", "ABC", None])
matcher("equal-to-number", {"equalTo": "1.50"}, ["1.50", "1.5", None])
matcher("equal-to-ignoring-case", {"equalTo": "abc", "caseInsensitive": True}, ["abc", "ABC"])
matcher("contains", {"contains": "b"}, ["b", "abc", "ac", "B", None])
matcher("does-not-contain", {"doesNotContain": "b"}, ["ac"])
matcher("matches", {"matches": "a.*"}, ["a", "abc", "ba", None])
matcher("matches-set", {"matches": "a[0-9]+"}, ["a1", "b1", "ax", "a", None])
matcher("matches-either", {"matches": "a|b"}, ["a"])
matcher("does-not-match", {"doesNotMatch": "a.*"}, ["b"])
matcher("absent", {"absent": True}, ["a", None])
matcher("and", {"and": [{"contains": "a"}, {"contains": "b"}]}, ["ab", "ba", "a", None])
matcher("or", {"or": [{"equalTo": "a"}, {"equalTo": "b"}]}, ["a", "b"])
matcher("before", {"before": "2026-01-01T00:00:00Z"}, [], ["2025-01-01T00:00:00Z"], {".before": "left-out"})
matcher("after", {"after": "2026-01-01T00:00:00Z"}, [], ["2027-01-01T00:00:00Z"], {".after": "left-out"})
matcher("equal-to-date-time", {"equalToDateTime": "2026-01-01T00:00:00Z"}, [], ["2026-01-01T00:00:00Z"], {".equalToDateTime": "left-out"})

case("several-values", [mapping("/several-values-query", kind="urlPath", queryParameters={"q": {"equalTo": "b"}}),
                        mapping("/several-values-header", kind="urlPath", headers={"X-Q": {"equalTo": "b"}})],
     [get("/several-values-query?q=a&q=b"), get("/several-values-query?q=a&q=c"), get("/several-values-header", X_Q=["a", "b"]),
      get("/several-values-header", X_Q=["a", "c"]), get("/several-values-header", X_Q="a, b")])
matcher("equal-to-nothing", {"equalTo": ""}, ["", "a", None])
matcher("contains-nothing", {"contains": ""}, ["", "a", None])
matcher("matches-anything", {"matches": ".*"}, ["", "a", None])
matcher("matches-something", {"matches": ".+"}, ["a", "", None])
case("query-escapes", mapping("/query-escapes", kind="urlPath", queryParameters={"a b": {"equalTo": "c d+é"}}),
     [get("/query-escapes?a%20b=c%20d%2B%C3%A9"), get("/query-escapes?a+b=c+d%2b%C3%A9"), get("/query-escapes?a%20b=c%20d+%C3%A9")])
case("query-bare", mapping("/query-bare", kind="urlPath", queryParameters={"a": {"absent": True}}),
     [get("/query-bare"), get("/query-bare?a"), get("/query-bare?a="), get("/query-bare?b")])
case("header-lists", mapping("/header-lists", headers={"Accept": {"contains": "json"}}),
     [get("/header-lists", Accept="text/html, application/json"), get("/header-lists", Accept=["text/html", "application/json"]), get("/header-lists")])
case("header-names", mapping("/header-names", headers={"x-UPPER": {"equalTo": "a"}}), [get("/header-names", X_Upper="a"), get("/header-names")])
case("basic-auth", mapping("/basic-auth", basicAuth={"username": "ava", "password": "pw"}),
     [get("/basic-auth", Authorization="Basic " + b64encode(b"ava:pw").decode()), get("/basic-auth", Authorization="Basic eA=="), get("/basic-auth")])
case("cookies", mapping("/cookies", cookies={"a": {"equalTo": "b"}}), [get("/cookies")], [get("/cookies", Cookie="a=b")],
     {"[0].request.cookies": "left-out"})
case("host", mapping("/host", host={"equalTo": "127.0.0.1"}), [], [get("/host")], {"[0].request.host": "left-out"})
case("scheme", mapping("/scheme", scheme="http"), [], [get("/scheme")], {"[0].request.scheme": "left-out"})

# Matchers of a body.
def body(name, pattern, same, differs=(), notes=None):
    url = f"/{name}"
    patterns = pattern if isinstance(pattern, list) else [pattern]
    listed = {f"[0].request{place}": effect for place, effect in (notes or {}).items()}
    case(name, mapping(url, method="POST", bodyPatterns=patterns), [post(url, text) for text in same], [post(url, text) for text in differs], listed)


first = ".bodyPatterns[0]"
body("body-equal-to", {"equalTo": "a b"}, ["a b", "a  b", ""])
body("body-contains", {"contains": "b"}, ["abc", "ac", ""])
body("body-matches", {"matches": "a.*"}, ["abc", "b", ""])
body("body-binary", {"binaryEqualTo": b64encode(b"a\xff").decode()}, [], [b"a\xff"], {first + ".binaryEqualTo": "left-out"})
body("body-json", {"equalToJson": {"a": [1, {"b": "c"}], "d": None}},
     ['{"a":[1,{"b":"c"}],"d":null}', '{"d": null, "a": [1, {"b": "c"}]}', '{"a":[{"b":"c"},1],"d":null}', '{"a":[1,{"b":"c"}]}', "{", "", "null"])
body("body-json-text", {"equalToJson": "{\"a\": 1}"}, ['{"a":1}', '{"a":2}', '{"a":"1"}'])
body("body-json-numbers", {"equalToJson": {"a": 1.5}}, ['{"a":1.5}', '{"a":1.50}', '{"a":15e-1}', '{"a":1.51}'])
body("body-json-whole", {"equalToJson": {"a": 1}}, ['{"a":1}', '{"a":2}', '{"a":1.0}'])
body("body-json-extra", {"equalToJson": {"a": {"b": 1}}, "ignoreExtraElements": True},
     ['{"a":{"b":1}}', '{"a":{"b":1,"c":2},"d":3}', '{"a":{}}', '{"a":{"b":"1"}}'])
body("body-json-any-order", {"equalToJson": [1, 2], "ignoreArrayOrder": True}, [] + ["[2,1]"])
body("body-json-placeholder", {"equalToJson": "{\"a\": \"${json-unit.any-string}\"}"}, [] + ['{"a":"x"}'])
body("body-path", {"matchesJsonPath": "$.a.b"}, ['{"a":{"b":1}}', '{"a":{"b":"x"}}', '{"a":{}}', '{"a":1}', "[]", "x", '{"a":{"b":false}}'])
filtered = {first + ".matchesJsonPath": "narrower"}
body("body-path-filter", {"matchesJsonPath": "$[?(@.a == 'b')]"}, ['{"a":"b"}', '{"a":"c"}', '{}', '{"a":"b","c":1}'] + ['[{"a":"b"}]'])
body("body-path-number", {"matchesJsonPath": "$[?(@.a == 5)]"}, ['{"a":5}', '{"a":6}', '{"a":5.0}'] + ['{"a":"5"}', '[{"a":5}]'])
body("body-path-pattern", {"matchesJsonPath": "$[?(@.a =~ /b.*/)]"}, ['{"a":"bc"}', '{"a":"cb"}', '{"a":"b"}'] + ['[{"a":"bc"}]'])
body("body-path-both", {"matchesJsonPath": "$[?(@.a == 'b' && @.c == true)]"}, ['{"a":"b","c":true}', '{"a":"b","c":false}'] + [])
body("body-path-more", {"matchesJsonPath": "$[?(@.a > 5)]"}, ['{"a":5}'] + ['{"a":6}'])
body("body-path-deep", {"matchesJsonPath": "$..a"}, ['{"b":1}'] + ['{"b":{"a":6}}'])
body("body-path-equal", {"matchesJsonPath": {"expression": "$.a", "equalTo": "12"}}, ['{"a":"12"}', '{"a":12}', '{"a":13}', "{}"] + ['{"a":["12"]}'])
body("body-path-contains", {"matchesJsonPath": {"expression": "$.a", "contains": "b"}}, ['{"a":"abc"}', '{"a":"c"}', "{}"] + [])
body("body-path-absent", {"matchesJsonPath": {"expression": "$.a", "absent": True}}, ['{"b":1}', '{"a":1}'])
body("body-path-kinds", {"matchesJsonPath": "$.a"},
     ['{"a":null}', '{"a":[]}', '{"a":[1]}', '{"a":""}', '{"a":0}', '{"a":false}', '{"a":{}}', '{"b":{"a":1}}', '[{"a":1}]', "1", "null", ""])
body("body-path-loose", {"matchesJsonPath": "$[?(@.a == 5)]"}, ['{"a":"5.0"}', '{"a":5e0}', '{"a":true}', "[5]"] + ['{"a":"5"}', '[{"a":5}]'])
body("body-path-loose-text", {"matchesJsonPath": "$[?(@.a == '5')]"}, ['{"a":"5"}', '{"a":"05"}'] + ['{"a":5}', '{"a":5.0}'])
body("body-path-truth", {"matchesJsonPath": "$[?(@.a == true)]"}, ['{"a":true}', '{"a":"true"}', '{"a":1}', '{"a":false}'] + [])
body("body-path-there", {"matchesJsonPath": "$[?(@.a)]"}, ['{"a":1}', '{"a":""}', '{"a":false}', "{}"] + ['{"a":null}', '{"a":[]}', '[{"a":1}]'])
body("body-path-digits", {"matchesJsonPath": {"expression": "$.a", "equalTo": "12.50"}}, ['{"a":"12.50"}', '{"a":12.5}', '{"a":12.50}'])
body("body-path-matches", {"matchesJsonPath": {"expression": "$.a", "matches": "b.*"}}, ['{"a":"bc"}', '{"a":"cb"}', "{}", '{"a":null}', '{"a":""}'] + ['{"a":["bc"]}'])
body("body-path-list", {"matchesJsonPath": {"expression": "$.a", "contains": "b"}}, ['{"a":["abc","d"]}', '{"a":{"b":1}}', '{"a":["c"]}', '{"a":[]}'] + [])
body("body-path-gone", {"matchesJsonPath": {"expression": "$.a", "absent": True}}, ['{"a":null}', '{"a":""}', "[]", "x", ""])
body("body-lines", {"matches": "a.*b"}, ["a\nb", "ab", "a b"])
body("body-words", {"contains": "é"}, ["caf\u00e9", "cafe"])
body("body-json-escapes", {"equalToJson": {"a": "é"}}, ['{"a":"\\u00e9"}'])
body("body-json-scalar", {"equalToJson": "5"}, ["5", "5.0", '"5"', "6"])
body("body-json-list", {"equalToJson": [1, [2]]}, ["[1,[2]]", "[1,2]", "[[2],1]", "[]"])
body("body-json-empty", {"equalToJson": {}}, ["{}", '{"a":1}', "[]", ""])
body("body-json-extra-null", {"equalToJson": {"a": 1}, "ignoreExtraElements": True}, ['{"a":1,"b":null}', "[1]", '{"a":1.0}', '{"a":null}'])
body("body-xml", {"equalToXml": "<a/>"}, [], ["<a></a>"], {first + ".equalToXml": "left-out"})
body("body-xpath", {"matchesXPath": "/a"}, [], ["<a></a>"], {first + ".matchesXPath": "left-out"})
body("body-and", [{"matchesJsonPath": "$.a"}, {"matchesJsonPath": "$[?(@.b == 'c')]"}], ['{"a":1,"b":"c"}', '{"a":1}', '{"b":"c"}'])
case("multipart", mapping("/multipart", method="POST", multipartPatterns=[{"matchingType": "ANY", "name": "a", "bodyPatterns": [{"contains": "b"}]}]),
     [], [post("/multipart", "--x\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\nabc\r\n--x--\r\n", Content_Type="multipart/form-data; boundary=x")],
     {"[0].request.multipartPatterns": "left-out"})

# Responses.
def responds(name, response, notes=None, differs=False, files=None):
    listed = {f"[0].response{place}": effect for place, effect in (notes or {}).items()}
    asked = [get(f"/{name}")]
    case(name, mapping(f"/{name}", response), [] if differs else asked, asked if differs else [], listed, files)


for status in [200, 201, 204, 301, 304, 401, 404, 418, 500, 599]:
    responds(f"status-{status}", {"status": status})
responds("status-odd", {"status": 799}, {".status": "left-out"}, True)
responds("reason", {"status": 200, "statusMessage": "Fine indeed", "body": "a"}, {".statusMessage": "ignored"}, True)
responds("headers", {"headers": {"Content-Type": "text/html;charset=iso-8859-1", "X-A": "b, c", "Location": "/x", "Cache-Control": "no-store"}, "body": "<p>é</p>"})
responds("no-type", {"body": "a"})
responds("no-body", {"headers": {"Content-Type": "application/json"}})
responds("date", {"headers": {"Date": "Mon, 01 Jan 2024 00:00:00 GMT"}, "body": "a"}, {".headers.Date": "ignored"}, True)
responds("several-lines", {"headers": {"X-A": ["b", "c"]}})
responds("several-cookies", {"headers": {"Set-Cookie": ["a=b", "c=d"]}})
responds("one-cookie", {"headers": {"Set-Cookie": "a=b; Path=/"}})
responds("framing", {"headers": {"Content-Length": "1"}, "body": "a"})
responds("body-text", {"body": "héllo\n", "headers": {"Content-Type": "text/plain; charset=utf-8"}})
responds("body-base64", {"base64Body": b64encode(bytes(range(256))).decode(), "headers": {"Content-Type": "application/octet-stream"}})
responds("json-body", {"jsonBody": {"z": [1, 2.5, -3, True, None, "é\u2028\t\"/"], "a": {}, "n": 12345678901234567890}})
responds("json-number", {"jsonBody": {"a": "@1.50@"}}, {".jsonBody.a": "approximate"}, True)
responds("body-file", {"bodyFileName": "deep/body.bin"}, files={"deep/body.bin": b"\x00\xffabc\r\n"})
responds("no-file", {"bodyFileName": "nowhere.json"}, {".bodyFileName": "left-out"}, True)
responds("template", {"body": "{{request.path}}", "transformers": ["response-template"]})
responds("braces", {"body": "{{request.path}}"}, {"": "ignored"})
responds("proxy", {"proxyBaseUrl": "http://127.0.0.1:1"}, {".proxyBaseUrl": "left-out"}, True)

responds("json-text", {"jsonBody": "a\"b"})
responds("json-list", {"jsonBody": [1, [], {}, ""]})
responds("json-digits", {"jsonBody": [1.5, 0.1, 100, -0.25, 1234567.125]})
responds("json-large", {"jsonBody": "@1e400@"}, {".jsonBody": "approximate"}, True)
responds("empty-body", {"body": ""})
responds("body-304", {"status": 304, "body": "a"})
responds("body-204", {"status": 204, "body": "a"})
responds("two-cases", {"headers": {"X-A": "b", "x-a": "c"}})
responds("own-headers", {"headers": {"Server": "them", "Vary": "Accept", "ETag": "\"a\"", "X-Request-Id": "r"}, "body": "a"})

# Faults and delays.
for fault in ["EMPTY_RESPONSE", "MALFORMED_RESPONSE_CHUNK", "RANDOM_DATA_THEN_CLOSE", "CONNECTION_RESET_BY_PEER"]:
    responds(f"fault-{fault.split('_')[0].lower()}", {"fault": fault})
responds("fault-status", {"fault": "MALFORMED_RESPONSE_CHUNK", "status": 201, "headers": {"X-A": "b"}, "body": "abc"})
responds("delay-fixed", {"fixedDelayMilliseconds": 400, "body": "late"})
responds("delay-fixed-distribution", {"delayDistribution": {"type": "fixed", "milliseconds": 400}, "body": "late"})
responds("delay-uniform", {"delayDistribution": {"type": "uniform", "lower": 390, "upper": 410}, "body": "late"})
responds("delay-lognormal", {"delayDistribution": {"type": "lognormal", "median": 400, "sigma": 0}, "body": "late"})
responds("delay-dribble", {"chunkedDribbleDelay": {"numberOfChunks": 4, "totalDuration": 400}, "body": "late and slow"})
responds("delay-fault", {"fixedDelayMilliseconds": 400, "fault": "EMPTY_RESPONSE"})

# Which of two answers.
case("priority", [mapping("/priority/.*", {"body": "any"}, kind="urlPathPattern", top={"priority": 10}),
                  mapping("/priority/a", {"body": "a"}, kind="urlPath", top={"priority": 1})],
     [get("/priority/a"), get("/priority/b"), get("/priority/b/c")])
case("later-wins", [mapping("/later-wins", {"body": "first"}, headers={"X-A": {"matches": ".*"}}),
                    mapping("/later-wins", {"body": "second"}, headers={"X-B": {"matches": ".*"}})],
     [get("/later-wins", X_A="a", X_B="b"), get("/later-wins", X_A="a"), get("/later-wins", X_B="b")])
case("tie", [mapping("/tie", {"body": "first"}, headers={"X-A": {"equalTo": "a"}}), mapping("/tie", {"body": "second"}, headers={"X-B": {"equalTo": "b"}})],
     [get("/tie", X_A="a"), get("/tie", X_B="b")], notes={"[0]": "approximate"}, split=True)
case("hidden", [mapping("/hidden", {"body": "first"}), mapping("/hidden", {"body": "second"})], [get("/hidden")], notes={"[0]": "left-out"})

# Scenarios: the requests are sent in this order, to both.
def step(url, body, required=None, new=None, scenario="s", **rest):
    top = {"scenarioName": scenario, "requiredScenarioState": required, "newScenarioState": new}
    return mapping(url, {"body": body}, top={key: value for key, value in top.items() if value}, **rest)


case("scenario", [step("/scenario", "open", "Started", "paid"), step("/scenario", "paid", "paid")], [get("/scenario")] * 3)
case("scenario-ring", [step("/scenario-ring", "one", "Started", "two", "ring"), step("/scenario-ring", "two", "two", "Started", "ring")],
     [get("/scenario-ring")] * 5)
case("scenario-order", [step("/scenario-order", "none", "Started", None, "order"),
                        step("/scenario-order", "made", "Started", "made", "order", method="POST"),
                        step("/scenario-order", "made", "made", None, "order"),
                        step("/scenario-order", "again", "made", None, "order", method="POST"),
                        step("/scenario-order", "gone", "made", "gone", "order", method="DELETE")],
     [get("/scenario-order"), ask("DELETE", "/scenario-order"), post("/scenario-order", ""), get("/scenario-order"), post("/scenario-order", ""),
      ask("DELETE", "/scenario-order"), get("/scenario-order"), post("/scenario-order", "")])
case("scenario-without-state", [step("/scenario-without-state", "any", None, "later", "w"),
                                step("/scenario-without-state/b", "only later", "later", None, "w")],
     [get("/scenario-without-state/b"), get("/scenario-without-state"), get("/scenario-without-state"), get("/scenario-without-state/b")])
case("scenario-unreached", [step("/scenario-unreached", "never", "elsewhere", None, "u")], [get("/scenario-unreached")])

# Templates.
def template(name, text, asked, kind="urlPath", method="GET", notes=None, headers=None, differs=()):
    response = {"body": text, "transformers": ["response-template"], "headers": headers or {}}
    case(name, mapping(f"/{name}(/.*)?", response, kind="urlPathPattern", method=method), asked, list(differs),
         {f"[0].response{place}": effect for place, effect in (notes or {}).items()})


for (name, text) in {
    "path": "{{request.path}}", "one-segment": "{{request.path.[1]}}", "segments": "{{request.pathSegments.[1]}}", "url": "{{request.url}}",
    "query": "a={{request.query.a}};", "first-query": "{{request.query.a.[0]}}", "raw-query": "{{{request.query.a}}}",
    "method": "{{request.method}}", "none": "no {braces} and } here",
}.items():
    template(f"t-{name}", text, [get(f"/t-{name}/x%20y/z?a=b%26%3Cc%3E&d"), get(f"/t-{name}"), get(f"/t-{name}/q?a=1&a=2"), get(f"/t-{name}/?a=%22%3D%27%60")])
template("t-a-header", "{{request.headers.X-A}}|{{request.headers.x-b.[0]}}|{{request.headers.[X-A]}}",
         [get("/t-a-header", X_A="one", X_B="two"), get("/t-a-header"), get("/t-a-header", X_A="<a b='c'>&amp;")])
template("t-body", "got {{request.body}} or {{{request.body}}}", [post("/t-body", "a<b>\"c\"=é"), post("/t-body", "")], method="POST")
template("t-json-path", '{"id":"{{jsonPath request.body \'$.id\'}}","all":{{{jsonPath request.body "$.a"}}} }',
         [post("/t-json-path", text) for text in ['{"id":"x1","a":{"b":[1,2.5,"c"]}}', '{"id":5,"a":[1]}', '{"id":true,"a":"t"}']], method="POST")
template("t-headers", "x", [get("/t-a-headers/9"), get("/t-a-headers/a b".replace(" ", "%20"))],
         headers={"Location": "/new/{{request.path.[1]}}", "X-M": "{{request.method}}!"})
template("t-now-day", "{{now format='yyyy-MM-dd'}} {{now offset='3 days' format='dd/MM/yy EEE MMM'}} {{now offset='-2 hours' format=\"yyyy 'at' H\"}}", [get("/t-now-day")])
template("t-unknown", "{{#if request.query.a}}a{{/if}}", [], notes={".transformers[0]": "left-out"}, differs=[get("/t-unknown")])
template("t-helper", "{{trim request.query.a}}", [], notes={".transformers[0]": "left-out"}, differs=[get("/t-helper?a=b")])
template("t-zone", "{{now timezone='Australia/Sydney'}}", [], notes={".transformers[0]": "left-out"}, differs=[get("/t-zone")])

# Expressions.
for (name, pattern, texts) in [
    ("anchors", "^/re-anchors/[a-z]{2,3}$", ["/re-anchors/ab", "/re-anchors/a", "/re-anchors/abcd", "/re-anchors/ABC"]),
    ("group", "/re-group/(a|bc)+/x", ["/re-group/abca/x", "/re-group/abb/x", "/re-group//x"]),
    ("slashes", "/re-slashes(/[0-9]+)?", ["/re-slashes", "/re-slashes/1", "/re-slashes/", "/re-slashes/x", "/re-slashes/1/2"]),
    ("words", "/re-words/\\w+-\\d{3}", ["/re-words/a_b-123", "/re-words/ab-12", "/re-words/a%20b-123"]),
    ("lazy", "/re-lazy/.*?/end", ["/re-lazy/a/end", "/re-lazy/a/b/end", "/re-lazy//end", "/re-lazy/end"]),
    ("not", "/re-not/[^/]+/[^0-9]*", ["/re-not/a/b", "/re-not/a/", "/re-not/a/1", "/re-not/a/b/c"]),
    ("alternatives", "/re-alternatives/a|/re-alternatives/b/c", ["/re-alternatives/a", "/re-alternatives/b/c", "/re-alternatives/b"]),
    ("uuid", "/re-uuid/[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}", ["/re-uuid/7d0c1a52-6f0e-4c0b-9d54-1f2b8a6c3e90", "/re-uuid/7d0c1a52"]),
]:
    # Alternatives begin with anything: they come last.
    top = {"priority": 80} if name == "alternatives" else {}
    case(f"re-{name}", mapping(pattern, kind="urlPathPattern", top=top), [get(text) for text in texts] + [get(texts[0] + "?q=1")])
for (name, pattern, texts) in [
    ("query", "/ur-query/[a-z]+\\?page=[0-9]+(&size=[0-9]+)?", ["/ur-query/a?page=1", "/ur-query/a?page=1&size=2", "/ur-query/a?page=x", "/ur-query/a"]),
    ("any", "/ur-any.*page=1.*", ["/ur-any?page=1", "/ur-any/b?c&page=1&d", "/ur-any?page=2", "/ur-any/page=1"]),
    ("optional", "/ur-optional(\\?.*)?", ["/ur-optional", "/ur-optional?a", "/ur-optional/a"]),
    ("ends", "/ur-ends/.*a", ["/ur-ends/b/a", "/ur-ends/b?c=a", "/ur-ends/b"]),
    ("alternatives", "/ur-alternatives/(a|b)\\?c=(d|e)", ["/ur-alternatives/a?c=e", "/ur-alternatives/b?c=f", "/ur-alternatives/a"]),
]:
    case(f"ur-{name}", mapping(pattern, kind="urlPattern"), [get(text) for text in texts])
case("re-look", mapping("/re-look/(?!a).*", kind="urlPathPattern"), [get("/re-look/a")], [get("/re-look/b")], {"[0].request.urlPathPattern": "left-out"})
case("re-back", mapping("/re-back/(.)\\1", kind="urlPathPattern"), [get("/re-back/ab")], [get("/re-back/aa")], {"[0].request.urlPathPattern": "left-out"})
matcher("matches-case", {"matches": "(?i)bearer.[a-z0-9._-]+"}, ["Bearer%20aB.c", "bearer", "BEARER-x", "beareR", None])
matcher("matches-date", {"matches": "[0-9]{4}-[0-9]{2}-[0-9]{2}(T.*)?"}, ["2026-01-12", "2026-01-12T10:00", "2026-1-12", None])
matcher("matches-star", {"contains": "a*b"}, ["xa*by", "ab", "aXb", None])
matcher("or-absent", {"or": [{"equalTo": "a"}, {"absent": True}]}, ["a", "b"])
matcher("and-or", {"and": [{"contains": "a"}, {"or": [{"contains": "b"}, {"doesNotMatch": ".*c"}]}]}, ["ab", "ac", "a", "bac", None])

# JSON paths.
items = ['{"items":[{"id":1,"n":"a","t":["x"]},{"id":2,"n":"b"}],"total":3}', '{"items":[]}', '{"items":[{"id":"2","n":"c","t":[]}],"total":"3"}', "{}", "[]"]
for (name, path) in {
    "or": "$.items[?(@.n == 'b' || @.n == 'c')]", "more": "$.items[?(@.id > 1)]", "less": "$.items[?(@.id <= 1)]", "unequal": "$.items[?(@.n != 'a')]",
    "both": "$.items[?(@.id >= 1 && @.n =~ /[ab]/)]", "not": "$.items[?(!(@.n == 'a'))]", "in": "$.items[?(@.n in ['a','z'])]",
    "nin": "$.items[?(@.n nin ['a','b'])]", "first": "$.items[0].id", "last": "$.items[-1].n", "all": "$.items[*].n", "star": "$.*",
    "slice": "$.items[1:]", "deep": "$..t", "deep-filter": "$..[?(@.n == 'b')]", "there": "$.items[?(@.t)]", "nested": "$.items[?(@.t[0] == 'x')].id",
    "quoted": "$['items'][0]['n']", "root": "$[?(@.total == 3)]", "case": "$.items[?(@.n =~ /B/i)]", "length": "$.items.length()",
    "parentheses": "$.items[?((@.id == 1 || @.id == 2) && @.n != 'a')]", "other": "$.items[?(@.id == $.total)]", "two": "$.items[0,1].n",
}.items():
    body(f"jp-{name}", {"matchesJsonPath": path}, items)
body("jp-bad", {"matchesJsonPath": "$.items[?(@.n ~~ 'a')]"}, [], [], {first + ".matchesJsonPath": "left-out"})
for (name, inner) in {"equal": {"equalTo": "b"}, "or": {"or": [{"equalTo": "a"}, {"equalTo": "c"}]}, "not": {"doesNotMatch": "a"}, "matches": {"matches": "[bc]"}}.items():
    body(f"jp-value-{name}", {"matchesJsonPath": {"expression": "$.items[*].n", **inner}}, items)
body("jp-value-json", {"matchesJsonPath": {"expression": "$.a", "equalToJson": "{\"b\": 1}", "ignoreExtraElements": True}},
     ['{"a":{"b":1}}', '{"a":{"b":1,"c":2}}', '{"a":{"b":2}}', "{}"])
body("jp-number", {"matchesJsonPath": {"expression": "$.a", "equalTo": "10.0"}}, ['{"a":10.0}', '{"a":10.00}', '{"a":10}', '{"a":1e1}', '{"a":"10.0"}'])

# Looser JSON.
body("like-any-object", {"equalToJson": "{}", "ignoreExtraElements": True}, ["{}", '{"a":1}', '{"a":{"b":[]}}', "x", ""])
body("like-extra-list", {"equalToJson": {"a": [1]}, "ignoreExtraElements": True}, ['{"a":[1]}', '{"a":[]}', '{"a":[2]}', '{"b":1,"a":[1]}'])
body("like-order", {"equalToJson": {"a": [1, {"b": 2}, 3]}, "ignoreArrayOrder": True},
     ['{"a":[3,{"b":2},1]}', '{"a":[1,3]}', '{"a":[1,1,3]}', '{"a":[{"b":2},3,1],"c":1}'])
body("like-both", {"equalToJson": {"a": [1, 2]}, "ignoreArrayOrder": True, "ignoreExtraElements": True}, ['{"a":[2,1]}', '{"a":[3,2,1]}', '{"a":[1]}', '{"a":[2,1],"b":1}'])
for (name, texts) in {"any-string": ['"x"', "1"], "any-number": ["1", '"1"'], "any-boolean": ["true", "0"], "ignore": ["[1]", "null"]}.items():
    body(f"like-{name}", {"equalToJson": "{\"a\": \"${json-unit." + name + "}\", \"b\": 1}"}, [f'{{"a":{text},"b":1}}' for text in texts] + ['{"b":1}'])
body("like-regex", {"equalToJson": "{\"a\": \"${json-unit.regex}[a-z]+\"}"}, ['{"a":"abc"}', '{"a":"1"}', '{"a":5}'])
