-- name: ReactionsTo :many
-- Returns the reactions to messages, those to each message in the order in which they were made.
select message_id, user_id, reaction_type, emoji_code, emoji_name from reactions
where message_id = any (@message_ids::bigint[])
order by message_id, reacted_at, user_id, reaction_type, emoji_code;

-- name: HitWords :many
-- Returns the words that a full-text search for the words in searched would find.
with wanted as materialized (select tsvector_to_array(to_tsvector('english', @searched::text)) as lexemes)
select w.word::text as word
from unnest(@words::text[]) as w (word) cross join wanted
where tsvector_to_array(to_tsvector('english', w.word)) && wanted.lexemes;

-- name: TopicsOf :many
-- Returns the topics of a stream, each with its newest message, the newest first. If every is false, only messages that
-- the user received count, and message_id is 0 for topics without any. It skips from topic to topic in an index, so it
-- reads about as many messages as there are topics. It returns up to max_rows topics; if there are more, it is undefined
-- which.
with recursive
ranges as materialized (
    select 0::bigint as first, 9223372036854775806 as last where @every::bool
    union all
    select coalesce(lower(r), 0), coalesce(upper(r) - 1, 9223372036854775806)
    from subscriptions s cross join lateral unnest(s.received) r
    where not @every::bool and s.stream_id = @stream_id::bigint and s.user_id = @user_id::bigint
),
topics (topic_key) as (
    (select m.topic_key from messages m where m.stream_id = @stream_id::bigint order by m.topic_key limit 1)
    union all
    select (select m.topic_key from messages m
        where m.stream_id = @stream_id::bigint and m.topic_key > t.topic_key order by m.topic_key limit 1)
    from topics t where t.topic_key is not null
),
few as materialized (select topic_key from topics where topic_key is not null limit @max_rows::int)
select coalesce(newest.topic, '')::text as topic, coalesce(newest.message_id, 0)::bigint as message_id
from few t left join lateral (
    select m.topic, m.message_id
    from ranges r cross join lateral (
        select m.topic, m.message_id from messages m
        where m.stream_id = @stream_id::bigint and m.topic_key = t.topic_key and m.message_id >= r.first and m.message_id <= r.last
        order by m.message_id desc limit 1
    ) m
    order by m.message_id desc limit 1
) newest on true
order by newest.message_id desc nulls last;

-- name: NewestTopicsOf :many
-- Returns the topics of a stream's newest messages, each with its newest message, the newest first. The parameter
-- messages limits how many messages it reads. If every is false, it reads only those that the user received.
with
ranges as materialized (
    select 0::bigint as first, 9223372036854775806 as last where @every::bool
    union all
    select coalesce(lower(r), 0), coalesce(upper(r) - 1, 9223372036854775806)
    from subscriptions s cross join lateral unnest(s.received) r
    where not @every::bool and s.stream_id = @stream_id::bigint and s.user_id = @user_id::bigint
),
newest as materialized (
    select m.topic_key, m.topic, m.message_id
    from ranges r cross join lateral (
        select m.topic_key, m.topic, m.message_id from messages m
        where m.stream_id = @stream_id::bigint and m.message_id >= r.first and m.message_id <= r.last
        order by m.message_id desc limit @messages::int
    ) m
    order by m.message_id desc limit @messages::int
)
select topics.topic::text as topic, topics.message_id::bigint as message_id
from (select distinct on (n.topic_key) n.topic, n.message_id from newest n order by n.topic_key, n.message_id desc) topics
order by topics.message_id desc;
