-- Sending and marking as read by one argument each.

-- +goose Up

-- Arguments of send_message and mark_read travel as JSON (json_populate_record), by names: what a caller doesn't know is
-- null. So an attribute can be added, with "alter type", while the release before still runs.
create type flagged_copy as (user_id bigint, flags smallint);
create type new_message as (
    org bigint, shard smallint, sender bigint,
    stream bigint, stream_version bigint, -- null for a private message
    access_by bigint,                     -- whose subscription allows to send; null: not needed
    conversation bigint,                  -- null for a stream message
    topic text, content text, rendered text, renderer smallint, client text, flags smallint,
    flagged flagged_copy[],               -- get a row with these flags where they are subscribed
    flagged_anyway flagged_copy[],        -- get one whether they are or not
    payload text,                         -- the event's JSON after the message's id
    audience text, trace text
);

-- send_message stores a message and its event in one statement, and returns the message's id. It returns 0
-- where what the caller decided on no longer holds (the stream changed, or access_by is no longer
-- subscribed): read again, decide again. It returns -1 where it may not wait for a lock and would have to;
-- so many can be stored in one transaction, and none holds up the others.
--
-- The shared lock on where it goes comes first: a change of subscriptions takes it exclusively, so ids,
-- transaction ids and commits are in one order across the change.
--
-- The function with 21 arguments stays for the release before. The migration after this one drops it.
-- +goose StatementBegin
create function send_message(may_wait boolean, m new_message) returns bigint language plpgsql as $$
declare
    place   bigint := coalesce(m.stream, m.conversation);
    held    text   := coalesce(current_setting('app.places', true), ''); -- empty: hold_places wasn't called
    message bigint;
    first   bigint;
begin
    perform set_config('app.org', m.org::text, true);
    if may_wait then
        perform pg_advisory_xact_lock_shared(place);
    elsif held = '' and not pg_try_advisory_xact_lock_shared(place)
        or held <> '' and not place::text = any(string_to_array(held, ',')) then
        return -1;
    end if;
    if m.stream is not null then
        select coalesce(s.first_message_id, 0) into first from streams s
            where s.org_id = m.org and s.stream_id = m.stream and s.version = m.stream_version and not s.deactivated;
        if not found then
            return 0;
        end if;
        if m.access_by is not null then
            perform from subscriptions s
                where s.org_id = m.org and s.stream_id = m.stream and s.user_id = m.access_by and s.active;
            if not found then
                return 0;
            end if;
        end if;
    end if;
    message := nextval('message_ids');
    insert into messages (org_id, message_id, sender_id, stream_id, conversation_id, topic, content, rendered,
                          renderer, client, flags, sent_at)
        values (m.org, message, m.sender, m.stream, m.conversation, m.topic, m.content, m.rendered,
                m.renderer, m.client, m.flags, now());
    insert into event_log (shard, org_id, type, payload, audience, trace)
        values (m.shard, m.org, 'message', '{"type":"message","message":{"id":' || message || ',"timestamp":'
                || floor(extract(epoch from now()))::bigint || ',' || m.payload, m.audience, m.trace);
    if first = 0 then
        update streams s set first_message_id = message
            where s.org_id = m.org and s.stream_id = m.stream and s.first_message_id is null;
    end if;
    if cardinality(m.flagged) > 0 then
        insert into message_flags (org_id, user_id, message_id, flags)
            select m.org, s.user_id, message, f.flags from unnest(m.flagged) f
            join subscriptions s on s.org_id = m.org and s.stream_id = m.stream and s.user_id = f.user_id and s.active;
    end if;
    if cardinality(m.flagged_anyway) > 0 then
        insert into message_flags (org_id, user_id, message_id, flags)
            select m.org, f.user_id, message, f.flags from unnest(m.flagged_anyway) f
            on conflict do nothing;
    end if;
    return message;
end $$;
-- +goose StatementEnd

-- settled_upto returns the id up to which no message of these streams and conversations is still on its
-- way: every one is there to see, or will never be. A send holds the shared lock of where it goes from
-- before it takes an id until it ends, so having had each lock alone is to have seen all of them end. An
-- exception releases the locks at once, so that whoever calls it in a longer transaction holds up no send.
-- +goose StatementBegin
create or replace function settled_upto(places bigint[]) returns bigint language plpgsql volatile as $$
declare
    newest constant bigint := next_message_id() - 1;
    place  bigint;
begin
    begin
        for place in select p from unnest(places) p order by p loop
            perform pg_advisory_xact_lock(place);
        end loop;
        raise sqlstate 'CS000';
    exception when sqlstate 'CS000' then
        return newest;
    end;
end $$;
-- +goose StatementEnd

-- held_messages are those of these messages that a user has as their own, and where they are. "offset 0" has each row
-- looked up by index: in plans that are kept, how many there are is estimated much too high.
create function held_messages(reader bigint, messages bigint[])
    returns table (message_id bigint, place bigint, in_stream boolean, received boolean) language sql stable as $$
    select m.message_id, coalesce(m.stream_id, m.conversation_id), m.stream_id is not null,
        coalesce(s.received @> m.message_id, false) or c.user_id is not null
    from (select distinct unnest(messages) as id) given
    cross join lateral (
        select m.org_id, m.message_id, m.stream_id, m.conversation_id from messages m where m.message_id = given.id
        offset 0
    ) m
    left join lateral (
        select s.received from subscriptions s where s.org_id = m.org_id and s.stream_id = m.stream_id and s.user_id = reader
        offset 0
    ) s on true
    left join lateral (
        select c.user_id from conversation_members c
        where c.org_id = m.org_id and c.conversation_id = m.conversation_id and c.user_id = reader
        offset 0
    ) c on true
    left join lateral (
        select f.user_id from message_flags f where f.org_id = m.org_id and f.user_id = reader and f.message_id = m.message_id
        offset 0
    ) f on true
    where s.received @> m.message_id or c.user_id is not null or f.user_id is not null
$$;

-- advance_marks moves a user's marks of streams forward over what is read, or about to be, up to a message, and returns
-- the streams where there may be more to pass. It looks at so many messages at most, all streams together. Where one in a hundred
-- of them is unread, or less, those go to unread_again instead of standing in the way: else each look for what is
-- unread would pass all that is read after them. Where more are unread, it stops as soon as it knows that; so it
-- doesn't look at the same messages each time. unread_again takes no more of them once it has so many ranges. Marks of
-- topics that say no more than their stream's are dropped.
-- +goose StatementBegin
create function advance_marks(reader bigint, streams bigint[], about_to_be bigint[], upto bigint, look integer, ranges integer)
    returns bigint[] language plpgsql volatile set plan_cache_mode = force_generic_plan set enable_seqscan = off as $$
declare
    most     constant integer := 20; -- streams
    width    constant integer := greatest(1, look / greatest(1, least(most, cardinality(streams))));
    few      constant integer := greatest(1, width / 100);
    again    int8multirange;
    at       record;
    unread   bigint[];
    passed   record;
    mark     bigint;
    more     bigint[] := streams[most + 1:];
begin
    for at in
        select s.stream_id, s.received, greatest(u.read_upto, s.read_upto, lower(s.received) - 1) as mark
        from subscriptions s join users u on u.org_id = s.org_id and u.user_id = s.user_id
        where s.user_id = reader and s.stream_id = any (streams[:most])
    loop
        again := (select a.messages from unread_again a where a.user_id = reader);
        unread := array(
            select n.message_id from (
                select m.org_id, m.stream_id, m.message_id, m.sender_id, m.flags, m.topic_key from messages m
                where m.stream_id = at.stream_id and m.message_id > at.mark and m.message_id <= upto
                order by m.message_id limit width
            ) n
            left join lateral (
                select t.read_upto, t.read from topic_marks t
                where t.org_id = n.org_id and t.user_id = reader and t.stream_id = n.stream_id and t.topic_key = n.topic_key
                offset 0
            ) t on true
            where at.received @> n.message_id and n.message_id <> all (about_to_be) and not coalesce(again @> n.message_id, false)
                and not is_read(n.message_id, n.sender_id = reader, n.flags, coalesce(t.read_upto, 0), t.read, null)
            order by n.message_id limit few + 1);
        mark := unread[1] - 1;
        if cardinality(unread) <= few then
            select max(n.message_id) as last, count(*) = width as is_full into passed from (
                select m.message_id from messages m
                where m.stream_id = at.stream_id and m.message_id > at.mark and m.message_id <= upto
                order by m.message_id limit width
            ) n;
            if not passed.is_full then
                mark := coalesce(mark, upto);
            elsif mark is null or coalesce((select count(*) from unnest(again)), 0) <= ranges then
                if mark is not null then
                    insert into unread_again (user_id, messages)
                        select reader, range_agg(int8range(m, m + 1)) from unnest(unread) m
                        on conflict (org_id, user_id) do update set messages = unread_again.messages + excluded.messages;
                end if;
                mark := passed.last;
                more := more || at.stream_id;
            end if;
        end if;
        update subscriptions s set read_upto = mark
            where s.user_id = reader and s.stream_id = at.stream_id and s.read_upto < mark;
        if found or mark = upto then
            delete from topic_marks t
                where t.user_id = reader and t.stream_id = at.stream_id
                    and greatest(t.read_upto, upper(t.read) - 1) <= greatest(mark, at.mark);
        end if;
    end loop;
    return more;
end $$;
-- +goose StatementEnd

-- read_request is what mark_read does.
create type read_request as (
    org bigint, reader bigint, messages bigint[],
    is_part boolean,               -- of a request that has one of the reader's own messages
    shard smallint, payload text, audience text, trace text, -- the event
    look integer, ranges integer   -- of advance_marks
);

-- mark_read marks messages as read that their reader has as their own, and stores the event. is_held says whether there
-- was any; otherwise nothing is stored, unless the request is a part of another. upto is what advance_marks goes up to,
-- and left_streams those where there is more for it to do, in transactions of their own.
--
-- Only what is surely complete becomes a range that reaches back to the message before, so it waits for what is on its
-- way to where the messages are. What is moved meanwhile, or came later, is marked by itself. A topic gets a mark of its
-- own only for what its stream's mark doesn't pass at once.
--
-- Plans are kept: to make them takes several times as long as to run them. Each finds few rows by index (TestPlans), also
-- one that was made while tables were small.
--
-- Locks are in this order: those of streams, which are released; the organization's on marks; the reader's row.
-- +goose StatementBegin
create function mark_read(r read_request, out is_held boolean, out upto bigint, out left_streams bigint[])
    language plpgsql volatile set plan_cache_mode = force_generic_plan set enable_seqscan = off as $$
declare
    places          bigint[];
    held            bigint[];
    received_ids    bigint[];
    streams         bigint[];
    in_conversation boolean;
begin
    perform set_config('app.org', r.org::text, true);
    select count(*) > 0, coalesce(array_agg(distinct h.place) filter (where h.received), '{}') into is_held, places
        from held_messages(r.reader, r.messages) h;
    if not is_held and not r.is_part then
        return;
    end if;
    upto := settled_upto(places);
    perform pg_advisory_xact_lock_shared(-r.org);
    perform from users u where u.user_id = r.reader for no key update;
    select array_agg(h.message_id), coalesce(array_agg(h.message_id) filter (where h.received), '{}'),
            coalesce(array_agg(distinct h.place) filter (where h.received and h.in_stream and h.place = any (places)), '{}'),
            coalesce(bool_or(not h.in_stream), false)
        into held, received_ids, streams, in_conversation
        from held_messages(r.reader, r.messages) h;
    update unread_again a set messages = a.messages - o.messages
        from (select range_agg(int8range(m, m + 1)) as messages from unnest(held) m) o
        where a.user_id = r.reader and a.messages && o.messages;
    left_streams := advance_marks(r.reader, streams, received_ids, upto, r.look, r.ranges);
    if cardinality(received_ids) > 0 then
        with given as (
            select m.stream_id, m.topic_key, m.message_id, s.received, t.read, greatest(u.read_upto, s.read_upto, t.read_upto) as covered,
                m.stream_id = any (places) and m.message_id <= mark_read.upto as is_settled
            from users u cross join unnest(received_ids) id
            cross join lateral (
                select m.org_id, m.message_id, m.stream_id, m.topic_key from messages m where m.message_id = id
                offset 0
            ) m
            cross join lateral (
                select s.received, s.read_upto from subscriptions s
                where s.org_id = m.org_id and s.stream_id = m.stream_id and s.user_id = r.reader
                offset 0
            ) s
            left join lateral (
                select t.read, t.read_upto from topic_marks t
                where t.org_id = m.org_id and t.user_id = r.reader and t.stream_id = m.stream_id and t.topic_key = m.topic_key
                offset 0
            ) t on true
            where u.user_id = r.reader
        ),
        topics as (
            select g.stream_id, g.topic_key, g.covered, coalesce(g.read, '{}') + range_agg(int8range(
                case when g.is_settled then coalesce(before.message_id, g.covered) + 1 else g.message_id end, g.message_id + 1)) as read
            from given g left join lateral (
                select b.message_id from messages b
                where b.stream_id = g.stream_id and b.topic_key = g.topic_key and b.message_id < g.message_id and b.message_id > g.covered
                    and g.received @> b.message_id and not (b.sender_id = r.reader and b.flags & 2 <> 0)
                order by b.message_id desc limit 1
            ) before on true
            where g.message_id > g.covered
            group by g.stream_id, g.topic_key, g.covered, g.read
        )
        insert into topic_marks (user_id, stream_id, topic_key, read_upto, read)
        select r.reader, t.stream_id, t.topic_key, merged.upto, t.read - int8multirange(int8range(null, merged.upto + 1))
        from topics t cross join lateral (
            select coalesce((select upper(x) - 1 from unnest(t.read) x where x @> t.covered + 1), t.covered) as upto
        ) merged
        on conflict (org_id, user_id, stream_id, topic_key) do update set read_upto = excluded.read_upto, read = excluded.read;
    end if;
    if in_conversation then
        with given as (
            select m.conversation_id, m.message_id, c.read, greatest(u.read_upto, c.read_upto) as covered,
                m.conversation_id = any (places) and m.message_id <= mark_read.upto as is_settled
            from users u cross join unnest(received_ids) id
            cross join lateral (
                select m.org_id, m.message_id, m.conversation_id from messages m where m.message_id = id
                offset 0
            ) m
            cross join lateral (
                select c.read, c.read_upto from conversation_members c
                where c.org_id = m.org_id and c.conversation_id = m.conversation_id and c.user_id = r.reader
                offset 0
            ) c
            where u.user_id = r.reader
        ),
        conversations as (
            select g.conversation_id, g.covered, g.read + range_agg(int8range(
                case when g.is_settled then coalesce(before.message_id, g.covered) + 1 else g.message_id end, g.message_id + 1)) as read
            from given g left join lateral (
                select b.message_id from messages b
                where b.conversation_id = g.conversation_id and b.message_id < g.message_id and b.message_id > g.covered
                    and not (b.sender_id = r.reader and b.flags & 2 <> 0)
                order by b.message_id desc limit 1
            ) before on true
            where g.message_id > g.covered
            group by g.conversation_id, g.covered, g.read
        )
        update conversation_members c
        set read_upto = merged.upto, read = g.read - int8multirange(int8range(null, merged.upto + 1))
        from conversations g cross join lateral (
            select coalesce((select upper(x) - 1 from unnest(g.read) x where x @> g.covered + 1), g.covered) as upto
        ) merged
        where c.user_id = r.reader and c.conversation_id = g.conversation_id;
    end if;
    insert into event_log (shard, type, payload, audience, trace)
        values (r.shard, 'update_message_flags', r.payload, r.audience, r.trace);
end $$;
-- +goose StatementEnd
