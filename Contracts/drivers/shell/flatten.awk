# JSON on stdin, one line a value on stdout: its path, a tab, the value as it was written (texts keep quotes and escapes, so
# they can go into other JSON as they are). {"a":[{"b":"x"}]} gives `a.0.b<TAB>"x"`; an object or a list itself gives `{` or `[`.
# Ends with 1 if it is no JSON.
{ json = json $0 "\n" }
END { value(""); if (next_token() != "") bad(); printf "%s", printed }

function bad() { failed = 1; exit 1 }
function put(path, text) { printed = printed path "\t" text "\n" }

function next_token() {
    sub(/^[ \t\r\n]+/, "", json)
    return substr(json, 1, 1)
}

function take(pattern,   token) {
    if (!match(json, pattern) || RSTART != 1) bad()
    token = substr(json, 1, RLENGTH)
    json = substr(json, RLENGTH + 1)
    return token
}

function text(   hex) {
    hex = "[0-9A-Fa-f]"
    return take("^\"([^\"\\\\\001-\037]|\\\\[\"\\\\/bfnrt]|\\\\u" hex hex hex hex ")*\"")
}

function value(path,   first, place, name) {
    if (++depth > 50) bad()
    first = next_token()
    if (first == "{" || first == "[") {
        put(path, first)
        json = substr(json, 2)
        if (next_token() != (first == "{" ? "}" : "]")) {
            for (place = 0; ; place++) {
                name = place
                if (first == "{") {
                    if (next_token() != "\"") bad()
                    name = text(); name = substr(name, 2, length(name) - 2)
                    if (next_token() != ":") bad()
                    json = substr(json, 2)
                }
                value(path == "" ? name : path "." name)
                if (next_token() != ",") break
                json = substr(json, 2)
            }
        }
        if (next_token() != (first == "{" ? "}" : "]")) bad()
        json = substr(json, 2)
    } else if (first == "\"") put(path, text())
    else put(path, take("^(true|false|null|-?(0|[1-9][0-9]*)(\\.[0-9]+)?([eE][-+]?[0-9]+)?)"))
    depth--
}
