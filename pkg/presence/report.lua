-- Stores a client's report, unless it is idle and the client's last report is active and still fresh.
-- KEYS: the hash of reports by user, and the sorted set of users by the time of their last report.
-- ARGV: user, client, status, time in Unix seconds, seconds for which reports are kept, seconds for which
-- an active report is fresh, maximum number of clients of a user, and 1 to return all reports. Returns a
-- list that begins with 1 if others must be notified of the report, and with 0 otherwise. If asked for,
-- users and their reports follow alternately.
--
-- A client's report is {s = status, t = time, n = 1 if others haven't been notified of it yet}.
local user, client, status = ARGV[1], ARGV[2], ARGV[3]
local now, kept, fresh, most = tonumber(ARGV[4]), tonumber(ARGV[5]), tonumber(ARGV[6]), tonumber(ARGV[7])

local readable, all = pcall(cjson.decode, redis.call('HGET', KEYS[1], user) or '{}')
if not readable or type(all) ~= 'table' then -- they are replaced
    all = {}
end
for name, report in pairs(all) do
    if type(report) ~= 'table' or type(report.t) ~= 'number' or math.abs(report.t) >= 2^53 then
        all[name] = nil
    end
end
local old = all[client]
local news = false
if not old or old.s == status or old.s == 'idle' or now - old.t > fresh then
    news = not old or old.n ~= nil or status == 'active' and (old.s == 'idle' or now - old.t > fresh)
    all[client] = {s = status, t = old and math.max(old.t, now) or now, n = news and 1 or nil}
    local clients = {}
    for name, report in pairs(all) do
        if report.t < now - kept then
            all[name] = nil
        else
            table.insert(clients, name)
        end
    end
    table.sort(clients, function(a, b) return all[a].t > all[b].t end)
    for i = most + 1, #clients do
        all[clients[i]] = nil
    end
    redis.call('HSET', KEYS[1], user, cjson.encode(all))
    redis.call('ZADD', KEYS[2], now, user)
    -- Remove up to 100 users whose last reports are too old.
    for _, gone in ipairs(redis.call('ZRANGEBYSCORE', KEYS[2], '-inf', '(' .. (now - kept), 'LIMIT', 0, 100)) do
        redis.call('HDEL', KEYS[1], gone)
        redis.call('ZREM', KEYS[2], gone)
    end
    redis.call('EXPIRE', KEYS[1], kept)
    redis.call('EXPIRE', KEYS[2], kept)
end

local answer = {news and 1 or 0}
if ARGV[8] == '1' then
    for _, value in ipairs(redis.call('HGETALL', KEYS[1])) do
        table.insert(answer, value)
    end
end
return answer
