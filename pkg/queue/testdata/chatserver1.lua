#!lua name=chatserver1

-- What has to happen in one step inside Redis. All keys of a call are in one shard, so they share a
-- hash tag: keys[1] routes the call, and args[1] is the prefix ("{s3}") of every other key.
--
--   <prefix>:cursor       how far the shard's log is dispatched
--   <prefix>:queues       hash: queue -> "<number> <descriptor>"; number is the version that added it
--   <prefix>:snapshots    hash: queue -> the database snapshot of its initial state
--   <prefix>:holders      hash: queue -> the replica where it was polled last
--   <prefix>:version      counts changes of <prefix>:queues
--   <prefix>:registry     stream of those changes, entry 0-<version>
--   <prefix>:queue:<id>   stream, the queue itself; expires when idle. Its first entry is always the
--                         one that the client acknowledged last (0-1 stands for "none yet")
--   <prefix>:event:<ref>  an event's payload, while it is fresh
--   <prefix>:lease        the replica that dispatches the shard
--   <prefix>:wake         channel: what was appended to which queues

-- Versions begin at the time (in ms), so that those of a Redis that lost everything never repeat.
local function changed(prefix, queue, descriptor)
    if redis.call('EXISTS', prefix .. ':version') == 0 then
        local now = redis.call('TIME')
        redis.call('SET', prefix .. ':version', string.format('%d%03d', now[1], math.floor(now[2] / 1000)))
    end
    local version = redis.call('INCR', prefix .. ':version')
    redis.call('XADD', prefix .. ':registry', 'MAXLEN', '~', 20000, '0-' .. version, 'queue', queue, 'descriptor', descriptor)
    return version
end

local function drop(prefix, queue)
    redis.call('DEL', prefix .. ':queue:' .. queue)
    redis.call('HDEL', prefix .. ':snapshots', queue)
    redis.call('HDEL', prefix .. ':holders', queue)
    if redis.call('HDEL', prefix .. ':queues', queue) == 1 then
        changed(prefix, queue, '')
        return 1
    end
    return 0
end

-- register(prefix, queue, descriptor, ttl): 1, or 0 where the shard has no cursor yet: without one it
-- wouldn't be certain that the queue gets everything from now on.
local function register(keys, args)
    local prefix, queue = args[1], args[2]
    if redis.call('EXISTS', keys[1]) == 0 then
        return 0
    end
    local key = prefix .. ':queue:' .. queue
    redis.call('XADD', key, '0-1', 'e', '')
    redis.call('EXPIRE', key, args[4])
    local version = changed(prefix, queue, args[3])
    redis.call('HSET', prefix .. ':queues', queue, version .. ' ' .. args[3])
    return 1
end

-- unregister(prefix, queue): 1 if it was there.
local function unregister(keys, args)
    local there = redis.call('EXISTS', args[1] .. ':queue:' .. args[2])
    drop(args[1], args[2])
    redis.call('PUBLISH', args[1] .. ':wake', 'gone\n' .. args[2] .. ' 0')
    return there
end

-- forget(prefix, queue...): drops those of the queues that expired; how many there were.
local function forget(keys, args)
    local count = 0
    for i = 2, #args do
        if redis.call('EXISTS', args[1] .. ':queue:' .. args[i]) == 0 then
            count = count + drop(args[1], args[i])
        end
    end
    return count
end

-- registry(prefix): {version, {queue, "<number> <descriptor>", ...}}.
local function registry(keys, args)
    return { redis.call('GET', args[1] .. ':version') or '0', redis.call('HGETALL', args[1] .. ':queues') }
end

-- reset(prefix, expected cursor, new cursor): drops all queues and starts the shard again.
local function reset(keys, args)
    local prefix = args[1]
    if (redis.call('GET', keys[1]) or '') ~= args[2] then
        return 0
    end
    local gone = {}
    for _, queue in ipairs(redis.call('HKEYS', prefix .. ':queues')) do
        drop(prefix, queue)
        gone[#gone + 1] = queue .. ' 0'
    end
    redis.call('SET', keys[1], args[3])
    redis.call('PUBLISH', prefix .. ':wake', 'reset\n- 0')
    if #gone > 0 then
        redis.call('PUBLISH', prefix .. ':wake', 'gone\n' .. table.concat(gone, ','))
    end
    return 1
end

-- dispatch(prefix, expected cursor, new cursor, known version, payload's life in ms,
--     then for each group: ref, payload ("": it is stored already), copy, count, queue...)
-- appends a pointer to each queue, moves the cursor and wakes the waiting polls: all or nothing.
-- It gives {'ok', {queue...}} with the queues that are gone; or {'cursor', current} or
-- {'version', current} where the caller's view is out of date, and nothing was done.
local function dispatch(keys, args)
    local prefix = args[1]
    local cursor = redis.call('GET', keys[1]) or ''
    if cursor ~= args[2] then
        return { 'cursor', cursor }
    end
    local version = redis.call('GET', prefix .. ':version') or '0'
    if version ~= args[4] then
        return { 'version', version }
    end
    local gone, wake = {}, {}
    local stem = prefix .. ':queue:'
    local i = 6
    while i <= #args do
        local ref, payload, count = args[i], args[i + 1], tonumber(args[i + 3])
        local pointer = ref .. ' ' .. args[i + 2]
        if payload ~= '' then
            redis.call('SET', prefix .. ':event:' .. ref, payload, 'PX', args[5])
        end
        local woken = {}
        for j = i + 4, i + 3 + count do
            local queue = args[j]
            local id = redis.call('XADD', stem .. queue, 'NOMKSTREAM', '0-*', 'e', pointer)
            if id then
                woken[#woken + 1] = queue .. ' ' .. string.sub(id, 3)
            else
                gone[#gone + 1] = queue
            end
        end
        if #woken > 0 then
            wake[#wake + 1] = pointer .. '\n' .. table.concat(woken, ',')
        end
        i = i + 4 + count
    end
    redis.call('SET', keys[1], args[3])
    if #wake > 0 then
        redis.call('PUBLISH', prefix .. ':wake', table.concat(wake, '\n'))
    end
    return { 'ok', gone }
end

-- poll(prefix, replica, limit, then for each: queue, acknowledged, read, ttl) acknowledges, notes who
-- polls, and gives what is behind the number that was read, limit entries at most. For each queue it
-- gives a flat list {number, pointer, ...}; or 0 (nothing new),
-- -1 (no such queue), -2 (acknowledged lies ahead), -3 (more was acknowledged before, or the queue
-- grew over its limit).
local function poll(keys, args)
    local prefix, replica, limit = args[1], args[2], tonumber(args[3])
    local out = {}
    for i = 4, #args, 4 do
        local queue, from = args[i], '0-' .. args[i + 1]
        local key = prefix .. ':queue:' .. queue
        local result = 0
        if redis.call('EXPIRE', key, args[i + 3]) == 0 then
            result = -1
        else
            local entries = redis.call('XRANGE', key, from, '+', 'COUNT', limit + 1)
            if #entries == 0 then
                result = -2
            elseif entries[1][1] ~= from then
                result = -3
            else
                redis.call('XTRIM', key, 'MINID', from)
                if redis.call('HGET', prefix .. ':holders', queue) ~= replica then
                    redis.call('HSET', prefix .. ':holders', queue, replica)
                    redis.call('PUBLISH', prefix .. ':wake', 'moved ' .. replica .. '\n' .. queue .. ' 0')
                end
                if args[i + 2] ~= args[i + 1] then
                    entries = redis.call('XRANGE', key, '0-' .. args[i + 2], '+', 'COUNT', limit + 1)
                end
                if #entries > 1 then
                    result = {}
                    for j = 2, #entries do
                        result[#result + 1] = tonumber(string.sub(entries[j][1], 3))
                        result[#result + 1] = entries[j][2][2]
                    end
                end
            end
        end
        out[#out + 1] = result
    end
    return out
end

-- heartbeat(prefix, then for each: queue, ttl) appends a heartbeat. For each queue it gives the
-- entry's number, or 0 where there is no such queue.
local function heartbeat(keys, args)
    local out = {}
    for i = 2, #args, 2 do
        local key = args[1] .. ':queue:' .. args[i]
        local id = redis.call('XADD', key, 'NOMKSTREAM', '0-*', 'e', 'heartbeat')
        if id then
            redis.call('EXPIRE', key, args[i + 1])
            out[#out + 1] = tonumber(string.sub(id, 3))
        else
            out[#out + 1] = 0
        end
    end
    return out
end

-- lease(prefix, replica, ttl in ms): 1 if replica has the shard's lease now.
local function lease(keys, args)
    local holder = redis.call('GET', keys[1])
    if holder and holder ~= args[2] then
        return 0
    end
    redis.call('SET', keys[1], args[2], 'PX', args[3])
    return 1
end

-- release(prefix, replica) gives the lease up.
local function release(keys, args)
    if redis.call('GET', keys[1]) == args[2] then
        redis.call('DEL', keys[1])
    end
    return 1
end

redis.register_function('chatserver1_register', register)
redis.register_function('chatserver1_unregister', unregister)
redis.register_function('chatserver1_forget', forget)
redis.register_function('chatserver1_registry', registry)
redis.register_function('chatserver1_reset', reset)
redis.register_function('chatserver1_dispatch', dispatch)
redis.register_function('chatserver1_poll', poll)
redis.register_function('chatserver1_heartbeat', heartbeat)
redis.register_function('chatserver1_lease', lease)
redis.register_function('chatserver1_release', release)
