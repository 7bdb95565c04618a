-- payments.lua TOKEN PREFIX: for wrk with one thread: payments of a penny, each under a key of its own.
local headers, prefix
local count = 0

function init(arguments)
    headers = { ["Authorization"] = "Bearer " .. arguments[1], ["Content-Type"] = "application/json" }
    prefix = arguments[2]
end

local body = '{"from":"ava-gbp","to":"goal-rainy","amount":{"amount":"0.01","currency":"GBP"}}'

function request()
    count = count + 1
    headers["Idempotency-Key"] = prefix .. count
    return wrk.format("POST", nil, headers, body)
end
