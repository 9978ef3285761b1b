#!lua name=chatserver2

-- These functions do what must be atomic. All keys of a call belong to one shard, so they share a hash
-- tag: keys[1] is <prefix>:cursor and routes the call in a Redis Cluster, keys[2] is <prefix>:none, and
-- args[1] is the prefix ("{s3}") of all keys. In the comments, lists in parentheses are args.
--
--   <prefix>:cursor          how far the shard's log is dispatched
--   <prefix>:reached         up to when its events were dispatched at least, in Unix seconds
--   <prefix>:queues          hash: queue -> "<number> <descriptor>"; number is the version that added the queue
--   <prefix>:snapshots       hash: queue -> the database snapshot of its initial state; without one, the
--                            registration isn't complete
--   <prefix>:holders         hash: queue -> the replica that polled it last
--   <prefix>:account:<o>.<u> hash: queue of account u of organization o -> its lifetime in seconds
--   <prefix>:version         the version of <prefix>:queues, which each change increments
--   <prefix>:changes         stream: the queues that were added or removed, in entries 0-<version>
--   <prefix>:queue:<id>      stream: the queue itself, which expires when it isn't polled. Its first entry is
--                            the last one that the client has acknowledged (0-1 if it hasn't any)
--   <prefix>:event:<ref>     the payload of an event, which expires soon
--   <prefix>:lease           the replica that dispatches the shard
--   <prefix>:none            never exists. While a Redis Cluster moves the shard to another server, key by key, it
--                            refuses calls with keys that a server lacks, so no function sees only some of the keys
--   <prefix>:wake            channel: what was appended to which queues, and which queues were removed or moved.
--                            Pairs of lines: what, and the queues, each with the id of its new entry (0-0: none);
--                            blanks at their ends don't count
--
-- The name of the library has a number, so that two releases can use one Redis at the same time. A release
-- that changes what a function takes, returns or relies on increments the number, and changes the keys only
-- in ways with which the functions of the previous release still work.

-- Records a change of a queue, and returns the new version. The first version is the time in milliseconds,
-- so that versions don't repeat after Redis has lost its data. It begins again with that if the version isn't a
-- number, or is behind the changes; then nobody knows all changes since any version before.
local function changed(prefix, queue)
    local function add()
        local version = redis.pcall('INCR', prefix .. ':version')
        local added = type(version) == 'number' and
            redis.pcall('XADD', prefix .. ':changes', 'MAXLEN', '~', 1000, '0-' .. version, 'q', queue)
        return type(added) == 'string' and version
    end
    local version = redis.call('EXISTS', prefix .. ':version') == 1 and add()
    if not version then
        local now = redis.call('TIME')
        redis.call('DEL', prefix .. ':changes')
        redis.call('SET', prefix .. ':version', string.format('%d%03d', now[1], math.floor(now[2] / 1000)))
        version = add()
    end
    return version
end

-- Returns the version of <prefix>:queues, or nil if it isn't a number.
local function version_of(prefix)
    local version = redis.call('GET', prefix .. ':version') or '0'
    return (version == '0' or #version <= 18 and string.match(version, '^[1-9]%d*$')) and version or nil
end

-- Returns the key of an account's queues.
local function account(prefix, org, user)
    return prefix .. ':account:' .. org .. '.' .. user
end

-- Removes a queue from all keys. Returns 1 if <prefix>:queues had it, and 0 otherwise. It doesn't fail, whatever types
-- the keys have.
local function drop(prefix, queue)
    redis.call('UNLINK', prefix .. ':queue:' .. queue) -- it may be long
    redis.pcall('HDEL', prefix .. ':snapshots', queue)
    redis.pcall('HDEL', prefix .. ':holders', queue)
    local entry = redis.pcall('HGET', prefix .. ':queues', queue)
    if type(entry) ~= 'string' then
        return 0
    end
    local org, user = string.match(entry, '^%d+ {"org":(%d+),"user":(%d+)')
    if org then
        redis.pcall('HDEL', account(prefix, org, user), queue)
    end
    redis.call('HDEL', prefix .. ':queues', queue)
    changed(prefix, queue)
    return 1
end

-- Makes room for another queue of an account: it drops queues with a lifetime of more than lifetime
-- seconds, those without a request for longest first, until fewer than most of them are left. If there are
-- that many, it also drops expired queues. While a poll waits, its queue expires later than its lifetime
-- from now, so it counts as if its last request were still to come.
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
        gone[i] = queues[i].id .. ' 0-0'
    end
    if #gone > 0 then
        redis.call('PUBLISH', prefix .. ':wake', 'gone\n' .. table.concat(gone, ' '))
    end
end

-- register(prefix, queue, descriptor, lifetime in seconds, organization, user, maximum number of an account's
--     queues, maximum number of long-lived ones, lifetime in seconds above which a queue is long-lived)
-- adds a queue and returns 1. It returns 0 if the shard has no cursor yet, because then the queue might miss
-- events from now on. A repeated call, by a client that got no answer, changes nothing.
local function register(keys, args)
    local prefix, queue, lifetime = args[1], args[2], tonumber(args[4])
    if redis.call('EXISTS', keys[1]) == 0 then
        return 0
    end
    if redis.call('HEXISTS', prefix .. ':queues', queue) == 1 then
        return 1
    end
    local owner = account(prefix, args[5], args[6])
    if redis.call('TYPE', owner).ok ~= 'hash' then
        redis.call('UNLINK', owner)
    end
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

-- snapshot(prefix, queue, snapshot) completes a registration. It does nothing if the queue has been removed meanwhile, since
-- nobody would remove the snapshot then.
local function snapshot(keys, args)
    if redis.call('HEXISTS', args[1] .. ':queues', args[2]) == 1 then
        redis.call('HSET', args[1] .. ':snapshots', args[2], args[3])
    end
    return 1
end

-- unregister(prefix, queue) removes a queue. It returns 1 if the queue existed, and 0 otherwise.
local function unregister(keys, args)
    local there = redis.call('EXISTS', args[1] .. ':queue:' .. args[2])
    drop(args[1], args[2])
    redis.call('PUBLISH', args[1] .. ':wake', 'gone\n' .. args[2] .. ' 0-0')
    return there
end

-- forget(prefix, queue...) removes those of the queues that have expired, or whose key has another type, and returns how
-- many it removed.
local function forget(keys, args)
    local count = 0
    for i = 2, #args do
        if redis.call('TYPE', args[1] .. ':queue:' .. args[i]).ok ~= 'stream' then
            count = count + drop(args[1], args[i])
        end
    end
    return count
end

-- changes(prefix, version) returns the current version and the queues that were added or removed since the
-- given one: {version, {queue, "<number> <descriptor>", ...}}, in the order of their first change, and with ""
-- for queues that no longer exist. It returns {version} if not all changes since then are known, or {} if the version isn't.
local function changes(keys, args)
    local prefix = args[1]
    local version = version_of(prefix)
    if not version then
        return {}
    end
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

-- reset(prefix, expected cursor, new cursor, limit) removes all queues, sets the cursor and returns 1. It returns 0,
-- and does nothing, if the cursor isn't the expected one; "" is expected where there is none. If there are more
-- queues than limit, it removes that many, and returns 2.
local function reset(keys, args)
    local prefix, limit = args[1], tonumber(args[4])
    if (redis.call('GET', keys[1]) or '') ~= args[2] then
        return 0
    end
    local more = redis.call('HLEN', prefix .. ':queues') > limit
    local gone = {}
    for _, queue in ipairs(redis.call('HRANDFIELD', prefix .. ':queues', limit)) do
        drop(prefix, queue)
        gone[#gone + 1] = queue .. ' 0-0'
    end
    if #gone > 0 then
        redis.call('PUBLISH', prefix .. ':wake', 'gone\n' .. table.concat(gone, ' '))
    end
    if more then
        return 2
    end
    redis.call('SET', keys[1], args[3])
    redis.call('PUBLISH', prefix .. ':wake', 'reset\n- 0-0')
    return 1
end

-- dispatch(prefix, expected cursor, new cursor, known version, lifetime of payloads in ms,
--     then for each group: ref, payload ("" if it is stored already), copy, number of queues, queue...)
-- appends a pointer "<ref> <copy>" to the queues of each group, moves the cursor and wakes the waiting polls.
-- It returns {'ok', {queue...}} with the queues that no longer exist. It does nothing and returns
-- {'cursor', current} or {'version', current} if the caller's cursor or version is out of date, and
-- {'malformed'} if the arguments are.
--
-- Redis doesn't undo the writes of a function that fails. So nothing may fail between the first write and
-- that of the cursor: arguments are checked before, and a queue that can't be appended to (because its key
-- has another type, or has used up its numbers) is removed after the cursor has moved.
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
    local gone, broken = {}, {}
    -- There are many queues, so what is published is joined once, and nothing is joined or looked up for each.
    local wake, size, stem, call = {}, 0, prefix .. ':queue:', redis.pcall
    i = 6
    while i <= #args do
        local ref, payload, count = args[i], args[i + 1], tonumber(args[i + 3])
        local pointer = ref .. ' ' .. args[i + 2]
        if payload ~= '' then
            redis.call('SET', prefix .. ':event:' .. ref, payload, 'PX', args[5])
        end
        local before = size
        wake[size + 1], wake[size + 2] = pointer, '\n'
        size = size + 2
        for j = i + 4, i + 3 + count do
            local queue = args[j]
            local id = call('XADD', stem .. queue, 'NOMKSTREAM', '0-*', 'e', pointer)
            if not id then
                gone[#gone + 1] = queue
            elseif type(id) == 'table' then
                broken[#broken + 1] = queue
            else
                wake[size + 1], wake[size + 2] = queue, id
                size = size + 2
            end
        end
        if size == before + 2 then -- nothing was appended
            size = before
        else
            size = size + 1
            wake[size] = '\n'
        end
        i = i + 4 + count
    end
    redis.call('SET', keys[1], args[3])
    for _, queue in ipairs(broken) do
        drop(prefix, queue)
        gone[#gone + 1] = queue
        size = size + 1
        wake[size] = 'gone\n' .. queue .. ' 0-0\n'
    end
    if size > 0 then
        redis.call('PUBLISH', prefix .. ':wake', table.concat(wake, ' ', 1, size))
    end
    return { 'ok', gone }
end

-- poll(prefix, replica, limit, then for each queue: queue, acknowledged, read, lifetime in seconds)
-- acknowledges entries, records that replica polls the queues, and returns the entries after the number
-- read, up to limit of each queue. For each queue it returns a flat list {number, pointer, ...}, or 0 if
-- there is nothing new, -1 if there is no such queue, -2 if the acknowledged number is greater than any in the
-- queue, or -3 if its entry no longer exists, because a greater number was acknowledged before or the queue
-- exceeded its limit. After limit entries, it leaves the remaining queues for the next call. It removes a queue whose
-- key has another type.
local function poll(keys, args)
    local prefix, replica, limit = args[1], args[2], tonumber(args[3])
    local out, count = {}, 0
    for i = 4, #args, 4 do
        if count >= limit then
            break
        end
        local queue, from = args[i], '0-' .. args[i + 1]
        local key = prefix .. ':queue:' .. queue
        local result = 0
        if redis.call('EXPIRE', key, args[i + 3]) == 0 then
            result = -1
        else
            local further = args[i + 2] ~= args[i + 1]
            local entries = redis.pcall('XRANGE', key, from, '+', 'COUNT', further and 1 or limit + 1)
            if entries.err then
                drop(prefix, queue)
                result = -1
            elseif #entries == 0 then
                result = -2
            elseif entries[1][1] ~= from then
                result = -3
            else
                redis.call('XTRIM', key, 'MINID', from)
                if redis.call('HGET', prefix .. ':holders', queue) ~= replica then
                    redis.call('HSET', prefix .. ':holders', queue, replica)
                    redis.call('PUBLISH', prefix .. ':wake', 'moved ' .. replica .. '\n' .. queue .. ' 0-0')
                end
                if further then
                    entries = redis.call('XRANGE', key, '0-' .. args[i + 2], '+', 'COUNT', limit + 1)
                end
                if #entries > 1 then
                    result = {}
                    for j = 2, #entries do
                        result[#result + 1] = tonumber(string.sub(entries[j][1], 3))
                        result[#result + 1] = entries[j][2][2]
                    end
                    count = count + #entries - 1
                end
            end
        end
        out[#out + 1] = result
    end
    return out
end

-- lease(prefix, replica, lifetime in ms) takes or extends the shard's lease. It returns 1 if replica has it
-- now, and 0 if another replica has it. A lease that doesn't end within that lifetime is nobody's: its holder would have
-- to be trusted to live.
local function lease(keys, args)
    local key = args[1] .. ':lease'
    local holder = redis.call('GET', key)
    if holder and holder ~= args[2] then
        local left = redis.call('PTTL', key)
        if left >= 0 and left <= tonumber(args[3]) then
            return 0
        end
    end
    redis.call('SET', key, args[2], 'PX', args[3])
    return 1
end

-- release(prefix, replica) releases the lease if replica has it.
local function release(keys, args)
    local key = args[1] .. ':lease'
    if redis.call('GET', key) == args[2] then
        redis.call('DEL', key)
    end
    return 1
end

-- repair(prefix) removes those keys of the shard that have another type than the other functions expect, or a version that
-- isn't one, and returns how many. Without <prefix>:queues the shard also loses its cursor, and so all of its queues: those
-- that processes know would get no events.
local function repair(keys, args)
    local prefix, count = args[1], 0
    local function remove(name)
        count = count + redis.call('UNLINK', prefix .. ':' .. name)
    end
    local types = {
        cursor = 'string', lease = 'string', version = 'string', changes = 'stream',
        queues = 'hash', snapshots = 'hash', holders = 'hash',
    }
    for name, expected in pairs(types) do
        local actual = redis.call('TYPE', prefix .. ':' .. name).ok
        if actual ~= 'none' and actual ~= expected then
            remove(name)
            if name == 'queues' then
                remove('cursor')
            end
        end
    end
    if not version_of(prefix) then
        remove('version')
    end
    return count
end

-- The functions that free memory are allowed to run when Redis has none left.
redis.register_function('chatserver2_register', register)
redis.register_function('chatserver2_snapshot', snapshot)
redis.register_function{ function_name = 'chatserver2_unregister', callback = unregister, flags = { 'allow-oom' } }
redis.register_function{ function_name = 'chatserver2_forget', callback = forget, flags = { 'allow-oom' } }
redis.register_function{ function_name = 'chatserver2_repair', callback = repair, flags = { 'allow-oom' } }
redis.register_function('chatserver2_changes', changes)
redis.register_function('chatserver2_reset', reset)
redis.register_function('chatserver2_dispatch', dispatch)
redis.register_function('chatserver2_poll', poll)
redis.register_function('chatserver2_lease', lease)
redis.register_function('chatserver2_release', release)
