-- Records that others have been notified of a report, unless the client has sent a newer one. KEYS: the
-- hash of reports by user. ARGV: user, client, time of the report in Unix seconds.
local stored = redis.call('HGET', KEYS[1], ARGV[1])
local all = stored and cjson.decode(stored) or {}
local report = all[ARGV[2]]
if report and report.t == tonumber(ARGV[3]) then
    report.n = nil
    redis.call('HSET', KEYS[1], ARGV[1], cjson.encode(all))
end
return 0
