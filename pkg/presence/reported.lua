-- Records that others were notified of a report. KEYS: the reports. ARGV: user, client, the report's time.
local stored = redis.call('HGET', KEYS[1], ARGV[1])
local all = stored and cjson.decode(stored) or {}
local report = all[ARGV[2]]
if report and report.t == tonumber(ARGV[3]) then
    report.n = nil
    redis.call('HSET', KEYS[1], ARGV[1], cjson.encode(all))
end
return 0
