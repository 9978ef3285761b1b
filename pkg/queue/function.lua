#!lua name=chatserver2

-- What has to happen in one step inside Redis. All keys of a call are in one shard, so they share a
-- hash tag: keys[1] routes the call, and args[1] is the prefix ("{s3}") of every other key.
--
--   <prefix>:cursor          how far the shard's log is dispatched
--   <prefix>:queues          hash: queue -> "<number> <descriptor>"; number is the version that added it
--   <prefix>:snapshots       hash: queue -> the database snapshot of its initial state
--   <prefix>:holders         hash: queue -> the replica where it was polled last
--   <prefix>:account:<o>.<u> hash: the queues of account u of organization o -> their lifetimes in seconds
--   <prefix>:version         counts changes of <prefix>:queues
--   <prefix>:changes         stream of the queues that came or went, entry 0-<version>
--   <prefix>:queue:<id>      stream, the queue itself; expires when idle. Its first entry is always the
--                            one that the client acknowledged last (0-1 stands for "none yet")
--   <prefix>:event:<ref>     an event's payload, while it is fresh
--   <prefix>:lease           the replica that dispatches the shard
--   <prefix>:wake            channel: what was appended to which queues
--
-- The name of the library has a number, so that two releases can use one Redis at the same time: a
-- release that changes what a function takes, returns or relies on gets the next number, and keeps the
-- keys so that the functions of the release before stay right. The release before, chatserver1, had
-- <prefix>:registry, with descriptors, in place of <prefix>:changes. Neither finds a version there that
-- the other made. Both take that for a list that doesn't go back far enough, and read the whole registry.

-- Versions begin at the time (in ms), so that those of a Redis that lost everything never repeat.
local function changed(prefix, queue)
    if redis.call('EXISTS', prefix .. ':version') == 0 then
        local now = redis.call('TIME')
        redis.call('SET', prefix .. ':version', string.format('%d%03d', now[1], math.floor(now[2] / 1000)))
    end
    local version = redis.call('INCR', prefix .. ':version')
    redis.call('XADD', prefix .. ':changes', 'MAXLEN', '~', 1000, '0-' .. version, 'q', queue)
    redis.call('UNLINK', prefix .. ':registry')
    return version
end

-- The key of an account's queues.
local function account(prefix, org, user)
    return prefix .. ':account:' .. org .. '.' .. user
end

-- Leaves nothing of a queue.
local function drop(prefix, queue)
    redis.call('UNLINK', prefix .. ':queue:' .. queue) -- it may be long
    redis.call('HDEL', prefix .. ':snapshots', queue)
    redis.call('HDEL', prefix .. ':holders', queue)
    local entry = redis.call('HGET', prefix .. ':queues', queue)
    if not entry then
        return 0
    end
    local org, user = string.match(entry, '^%d+ {"org":(%d+),"user":(%d+)')
    if org then
        redis.call('HDEL', account(prefix, org, user), queue)
    end
    redis.call('HDEL', prefix .. ':queues', queue)
    changed(prefix, queue)
    return 1
end

-- Drops, of an account's queues with a lifetime of more than that many seconds, those without a request
-- for longest, until fewer than most are left. A poll that waits makes its queue live for longer than
-- the lifetime from now, so it counts as a request that is still to come.
local function make_room(prefix, key, most, lifetime)
    if redis.call('HLEN', key) < most then
        return
    end
    local queues = {}
    local all = redis.call('HGETALL', key)
    for i = 1, #all, 2 do
        local left, whole = redis.call('PTTL', prefix .. ':queue:' .. all[i]), tonumber(all[i + 1])
        if left < 0 then
            redis.call('HDEL', key, all[i])
            drop(prefix, all[i])
        elseif whole > lifetime then
            queues[#queues + 1] = { id = all[i], idle = whole * 1000 - left }
        end
    end
    table.sort(queues, function(a, b) return a.idle > b.idle end)
    local gone = {}
    for i = 1, #queues - most + 1 do
        drop(prefix, queues[i].id)
        gone[i] = queues[i].id .. ' 0'
    end
    if #gone > 0 then
        redis.call('PUBLISH', prefix .. ':wake', 'gone\n' .. table.concat(gone, ','))
    end
end

-- register(prefix, queue, descriptor, lifetime in seconds, organization, user, most queues of an account,
--     most of them that live long, what is long): 1, or 0 where the shard has no cursor yet: without one
-- it wouldn't be certain that the queue gets everything from now on.
local function register(keys, args)
    local prefix, queue, lifetime = args[1], args[2], tonumber(args[4])
    if redis.call('EXISTS', keys[1]) == 0 then
        return 0
    end
    local owner = account(prefix, args[5], args[6])
    make_room(prefix, owner, tonumber(args[7]), 0)
    if lifetime > tonumber(args[9]) then
        make_room(prefix, owner, tonumber(args[8]), tonumber(args[9]))
    end
    local key = prefix .. ':queue:' .. queue
    redis.call('XADD', key, '0-1', 'e', '')
    redis.call('EXPIRE', key, lifetime)
    redis.call('HSET', owner, queue, lifetime)
    redis.call('HSET', prefix .. ':queues', queue, changed(prefix, queue) .. ' ' .. args[3])
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

-- changes(prefix, version): {version now, {queue, "<number> <descriptor>", ...}} with the queues that came or
-- went since then, in the order of their first change, as they are now: "" for those that are gone. Without
-- the list where the changes since then aren't all known.
local function changes(keys, args)
    local prefix = args[1]
    local version = redis.call('GET', prefix .. ':version') or '0'
    if version == args[2] then
        return { version, {} }
    end
    local entries = redis.call('XRANGE', prefix .. ':changes', '(0-' .. args[2], '0-' .. version)
    if #entries ~= tonumber(version) - tonumber(args[2]) then
        return { version }
    end
    local list, seen = {}, {}
    for _, entry in ipairs(entries) do
        local queue = entry[2][2]
        if not seen[queue] then
            seen[queue] = true
            list[#list + 1] = queue
            list[#list + 1] = redis.call('HGET', prefix .. ':queues', queue) or ''
        end
    end
    return { version, list }
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
-- It returns {'ok', {queue...}} with the queues that are gone; or {'cursor', current} or
-- {'version', current} where the caller's view is out of date, or {'malformed'}, and nothing was done.
--
-- Redis takes nothing back when a function fails. So from the first write to that of the cursor nothing
-- may fail: what can is looked at before, and a queue that can't be appended to (another type of key, no
-- numbers left) is dropped, after the cursor has moved.
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
    local i = 6
    while i <= #args do
        local count = tonumber(args[i + 3])
        if not count or count < 0 or count % 1 ~= 0 then
            return { 'malformed' }
        end
        i = i + 4 + count
    end
    local life = tonumber(args[5])
    if i ~= #args + 1 or not life or life < 1 then
        return { 'malformed' }
    end
    local gone, broken, wake = {}, {}, {}
    local stem = prefix .. ':queue:'
    i = 6
    while i <= #args do
        local ref, payload, count = args[i], args[i + 1], tonumber(args[i + 3])
        local pointer = ref .. ' ' .. args[i + 2]
        if payload ~= '' then
            redis.call('SET', prefix .. ':event:' .. ref, payload, 'PX', args[5])
        end
        local woken = {}
        for j = i + 4, i + 3 + count do
            local queue = args[j]
            local id = redis.pcall('XADD', stem .. queue, 'NOMKSTREAM', '0-*', 'e', pointer)
            if not id then
                gone[#gone + 1] = queue
            elseif type(id) == 'table' then
                broken[#broken + 1] = queue
            else
                woken[#woken + 1] = queue .. ' ' .. string.sub(id, 3)
            end
        end
        if #woken > 0 then
            wake[#wake + 1] = pointer .. '\n' .. table.concat(woken, ',')
        end
        i = i + 4 + count
    end
    redis.call('SET', keys[1], args[3])
    for _, queue in ipairs(broken) do
        drop(prefix, queue)
        gone[#gone + 1] = queue
        wake[#wake + 1] = 'gone\n' .. queue .. ' 0'
    end
    if #wake > 0 then
        redis.call('PUBLISH', prefix .. ':wake', table.concat(wake, '\n'))
    end
    return { 'ok', gone }
end

-- poll(prefix, replica, limit, then for each: queue, acknowledged, read, ttl) acknowledges, notes who
-- polls, and returns what is behind the number that was read, limit entries at most. For each queue it
-- returns a flat list {number, pointer, ...}; or 0 (nothing new),
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

-- lease(prefix, replica, ttl in ms): 1 if replica has the shard's lease now.
local function lease(keys, args)
    local holder = redis.call('GET', keys[1])
    if holder and holder ~= args[2] then
        return 0
    end
    redis.call('SET', keys[1], args[2], 'PX', args[3])
    return 1
end

-- release(prefix, replica) releases the lease.
local function release(keys, args)
    if redis.call('GET', keys[1]) == args[2] then
        redis.call('DEL', keys[1])
    end
    return 1
end

-- What frees memory works where Redis has none left.
redis.register_function('chatserver2_register', register)
redis.register_function{ function_name = 'chatserver2_unregister', callback = unregister, flags = { 'allow-oom' } }
redis.register_function{ function_name = 'chatserver2_forget', callback = forget, flags = { 'allow-oom' } }
redis.register_function('chatserver2_registry', registry)
redis.register_function('chatserver2_changes', changes)
redis.register_function('chatserver2_reset', reset)
redis.register_function('chatserver2_dispatch', dispatch)
redis.register_function('chatserver2_poll', poll)
redis.register_function('chatserver2_lease', lease)
redis.register_function('chatserver2_release', release)
