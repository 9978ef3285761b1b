-- Marking messages as read takes no longer for whoever has marked many as unread again.

-- +goose Up

-- advance_marks moves a user's marks of streams forward over what is read, or about to be, up to a message, and returns
-- the streams where there may be more to do. It looks at so many messages at most, all streams together. Where one in a hundred
-- of them is unread, or less, those go to unread_again instead of standing in the way: else each look for what is
-- unread would pass all that is read after them. Where more are unread, it stops as soon as it knows that; so it
-- doesn't look at the same messages each time. unread_again takes no more of them once it has so many ranges. Marks of
-- topics that say no more than their stream's are dropped, as many of a stream as messages are looked at.
-- +goose StatementBegin
create or replace function advance_marks(reader bigint, streams bigint[], about_to_be bigint[], upto bigint, look integer, ranges integer)
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
    gone     bigint;
    more     bigint[] := streams[most + 1:];
begin
    for at in
        select s.stream_id, s.received, greatest(u.read_upto, s.read_upto, lower(s.received) - 1) as mark
        from subscriptions s join users u on u.org_id = s.org_id and u.user_id = s.user_id
        where s.user_id = reader and s.stream_id = any (streams[:most])
    loop
        again := (select a.messages + '{}' from unread_again a where a.user_id = reader); -- decompressed, not once for each message
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
            delete from topic_marks where ctid = any (array(
                select t.ctid from topic_marks t
                where t.user_id = reader and t.stream_id = at.stream_id
                    and greatest(t.read_upto, upper(t.read) - 1) <= greatest(mark, at.mark)
                limit width));
            get diagnostics gone = row_count;
            if gone = width and at.stream_id <> all (more) then
                more := more || at.stream_id;
            end if;
        end if;
    end loop;
    return more;
end $$;
-- +goose StatementEnd
