-- payments.lua TOKEN PREFIX: for wrk with one thread: payments of a penny, each under its own key.
-- All but the key is put together once, so that the client's work is no part of what is measured.
local head, tail
local count = 0

local body = '{"from":"ava-gbp","to":"goal-rainy","amount":{"amount":"0.01","currency":"GBP"}}'

function init(arguments)
    local headers = {
        ["Authorization"] = "Bearer " .. arguments[1], ["Content-Type"] = "application/json", ["Idempotency-Key"] = "THE-KEY",
    }
    local whole = wrk.format("POST", nil, headers, body)
    local first, last = whole:find("THE-KEY", 1, true)
    head, tail = whole:sub(1, first - 1) .. arguments[2], whole:sub(last + 1)
end

function request()
    count = count + 1
    return head .. count .. tail
end
