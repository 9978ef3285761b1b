-- Searches look at fewer messages that aren't for the reader, or that don't have the words.

-- +goose Up

-- find_messages returns the newest or the oldest messages with ids from first through last, up to a number, in that order: as far as
-- they are given, those with all words, of one stream, from one sender, and in one of the streams or conversations or among those
-- marked. Under row-level security @@ would never become a condition of the index, so this looks at all organizations and names its own.
-- Each statement is planned each time, since the best index depends on what is given.
--
-- The planner assumes that messages with a word are spread evenly. So that a word that was frequent long ago isn't looked for in
-- everything since, only about 100 messages for each that is wanted, and 500,000 at most, can be read in their order. It estimates by
-- 1,000 messages, of the stream if there is one, else of the sender, where those end; if all of these match, there is no need. Of the
-- others, all that match are found first.
--
-- It replaces search_messages, which the release before calls.
-- +goose StatementBegin
create function find_messages(words text, stream bigint, sender bigint, streams bigint[], conversations bigint[], marked bigint[],
        first bigint, last bigint, newest boolean, most integer)
    returns bigint[]
    language plpgsql stable security definer set search_path from current set plan_cache_mode = force_custom_plan as $$
declare
    org     constant bigint  := current_setting('app.org')::bigint;
    wanted  constant tsquery := plainto_tsquery('english', words);
    sample  constant integer := 1000;
    times   constant numeric := 100.0 * least(most, 5000) / sample;
    low     bigint;
    high    bigint;
    edge    bigint; -- where those that are read in their order end
    number  integer;
    hits    bigint[];
begin
    if newest then
        select min(m.message_id), max(m.message_id), count(*) into low, high, number from (
            select m.message_id from messages m
            where m.org_id = org and (stream is null or m.stream_id = stream) and (sender is null or stream is not null or m.sender_id = sender)
                and m.message_id >= first and m.message_id <= last and (words is not null or streams is not null)
            order by m.message_id desc limit sample) m;
        edge := case when number < sample then first else greatest(first, high - ((high - low) * times)::bigint) end;
        hits := array(
            select m.message_id from messages m
            where m.org_id = org and (words is null or m.search @@ wanted)
                and (stream is null or m.stream_id = stream) and (sender is null or m.sender_id = sender)
                and (streams is null or m.stream_id = any (streams) or m.conversation_id = any (conversations) or m.message_id = any (marked))
                and m.message_id >= edge and m.message_id <= last
            order by m.message_id desc limit most);
        last := edge - 1;
    else
        select min(m.message_id), max(m.message_id), count(*) into low, high, number from (
            select m.message_id from messages m
            where m.org_id = org and (stream is null or m.stream_id = stream) and (sender is null or stream is not null or m.sender_id = sender)
                and m.message_id >= first and m.message_id <= last and (words is not null or streams is not null)
            order by m.message_id limit sample) m;
        edge := case when number < sample then last else least(last, low + ((high - low) * times)::bigint) end;
        hits := array(
            select m.message_id from messages m
            where m.org_id = org and (words is null or m.search @@ wanted)
                and (stream is null or m.stream_id = stream) and (sender is null or m.sender_id = sender)
                and (streams is null or m.stream_id = any (streams) or m.conversation_id = any (conversations) or m.message_id = any (marked))
                and m.message_id >= first and m.message_id <= edge
            order by m.message_id limit most);
        first := edge + 1;
    end if;
    if first > last or cardinality(hits) = most then
        return hits;
    end if;
    return hits || array(
        with rest as materialized (
            select m.message_id from messages m
            where m.org_id = org and (words is null or m.search @@ wanted)
                and (stream is null or m.stream_id = stream) and (sender is null or m.sender_id = sender)
                and (streams is null or m.stream_id = any (streams) or m.conversation_id = any (conversations) or m.message_id = any (marked))
                and m.message_id >= first and m.message_id <= last)
        select r.message_id from rest r
        order by case when newest then - r.message_id else r.message_id end limit most - cardinality(hits));
end $$;
-- +goose StatementEnd
revoke all on function find_messages(text, bigint, bigint, bigint[], bigint[], bigint[], bigint, bigint, boolean, integer) from public;
grant execute on function find_messages(text, bigint, bigint, bigint[], bigint[], bigint[], bigint, bigint, boolean, integer)
    to chatserver_service;
