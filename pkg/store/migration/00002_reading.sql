-- Reading, changing and following messages: what is read, edits, reactions, alert words, status.

-- +goose Up

-- Topics are compared by topic_key, as streams are by name_key. edits are what was changed, the newest
-- first, as JSON (message.Edit); null where nothing was.
alter table messages
    add topic_key text not null generated always as (lower(topic)) stored,
    add edits     jsonb,
    add edited_at timestamptz;
create index messages_topic on messages (org_id, stream_id, topic_key, message_id) where stream_id is not null;
create index messages_sender on messages (org_id, sender_id, message_id);
create index messages_mentioning_all on messages (org_id, message_id) where flags & 1 <> 0;

alter table muted_topics add topic_key text not null generated always as (lower(topic)) stored;
drop index muted_topics_key;
create unique index muted_topics_key on muted_topics (org_id, user_id, stream_id, topic_key);

-- What somebody has read (docs/decisions/0009-read-state.md). A message is read where any of these says
-- so: users.read_upto, subscriptions.read_upto, the topic's or the conversation's read_upto and read; but
-- never where unread_again has it.
create table topic_marks (
    org_id    bigint         not null default current_setting('app.org')::bigint,
    user_id   bigint         not null,
    stream_id bigint         not null,
    topic_key text           not null,
    read_upto bigint         not null default 0,
    read      int8multirange not null default '{}', -- above read_upto
    primary key (org_id, user_id, stream_id, topic_key),
    foreign key (org_id, user_id) references users,
    foreign key (org_id, stream_id) references streams
);
create index topic_marks_topic on topic_marks (org_id, stream_id, topic_key);
alter table conversation_members add read int8multirange not null default '{}'; -- above read_upto
create table unread_again (
    org_id   bigint         not null default current_setting('app.org')::bigint,
    user_id  bigint         not null,
    messages int8multirange not null,
    primary key (org_id, user_id),
    foreign key (org_id, user_id) references users
);
-- Who has rows of flags for a message: asked when it is changed.
create index message_flags_message on message_flags (org_id, message_id);

-- is_read says whether its reader has read a message. upto is the greatest of the marks that say
-- "everything up to here"; the rest may be null.
create function is_read(message bigint, own boolean, message_flags smallint, upto bigint, read int8multirange, again int8multirange)
    returns boolean language sql immutable parallel safe as $$
    select not coalesce(again @> message, false)
        and (message <= upto or coalesce(read @> message, false) or own and message_flags & 2 <> 0)
$$;

-- merged_upto is where a mark gets when the ranges that join on to it merge into it.
create function merged_upto(upto bigint, read int8multirange) returns bigint language sql immutable parallel safe as $$
    select coalesce((select upper(r) - 1 from unnest(read) r where r @> upto + 1), upto)
$$;

-- settled_upto gives the id up to which no message of these streams and conversations is still on its
-- way: every one is there to see, or will never be. A send holds the shared lock of where it goes from
-- before it takes an id until it ends, so having had each lock alone is to have seen all of them end.
-- The locks end with the transaction, so this must be one of its own.
-- +goose StatementBegin
create function settled_upto(places bigint[]) returns bigint language plpgsql volatile as $$
declare
    newest bigint := next_message_id() - 1;
    place  bigint;
begin
    for place in select p from unnest(places) p order by p loop
        perform pg_advisory_xact_lock(place);
    end loop;
    return newest;
end $$;
-- +goose StatementEnd

create table reactions (
    org_id        bigint      not null default current_setting('app.org')::bigint,
    message_id    bigint      not null,
    user_id       bigint      not null,
    reaction_type text        not null check (reaction_type in ('unicode_emoji', 'realm_emoji', 'zulip_extra_emoji')),
    emoji_code    text        not null,
    emoji_name    text        not null,
    reacted_at    timestamptz not null default clock_timestamp(),
    primary key (org_id, message_id, user_id, reaction_type, emoji_code),
    foreign key (org_id, user_id) references users
);

-- Deleted messages, kept for a while before they are destroyed.
create table deleted_messages (
    org_id     bigint      not null default current_setting('app.org')::bigint,
    message_id bigint      not null,
    message    jsonb       not null,
    deleted_at timestamptz not null default now(),
    deleted_by bigint      not null,
    primary key (org_id, message_id)
);
create index deleted_messages_at on deleted_messages (deleted_at);

-- destroy_deleted_messages ends what was deleted before keep. It runs as the owner, since it is about
-- all organizations.
create function destroy_deleted_messages(keep interval) returns void
    language sql security definer set search_path from current as $$
    delete from deleted_messages where deleted_at < now() - keep
$$;
revoke all on function destroy_deleted_messages(interval) from public;
grant execute on function destroy_deleted_messages(interval) to chatserver_everywhere;

create table alert_words (
    org_id   bigint not null default current_setting('app.org')::bigint,
    user_id  bigint not null,
    word     text   not null check (char_length(word) between 1 and 100),
    word_key text   not null generated always as (lower(word)) stored,
    primary key (org_id, user_id, word_key),
    foreign key (org_id, user_id) references users
);
-- Grows with each change of alert words: senders remember them by it. 0: there never were any. It comes
-- with authentication, so that sending asks for nothing.
alter table organizations add alert_words_version bigint not null default 0;
drop trigger organizations_changed on organizations;
create trigger organizations_changed before update of subdomain, settings, deactivated, alert_words_version on organizations
    for each row execute function note_change();
drop function authenticate(bytea);
-- +goose StatementBegin
create function authenticate(key_hash bytea) returns table (
    org_id bigint, subdomain text, org_deactivated boolean, org_settings jsonb, alert_words_version bigint,
    user_id bigint, email text, full_name text, role smallint, bot_type smallint, active boolean, joined_at timestamptz,
    avatar_source text, avatar_version integer, settings jsonb,
    owner_id bigint, owner_role smallint, owner_joined_at timestamptz,
    user_changed_at timestamptz, org_changed_at timestamptz, owner_changed_at timestamptz
) language sql stable security definer set search_path from current as $$
    select u.org_id, o.subdomain, o.deactivated, o.settings, o.alert_words_version,
        u.user_id, u.email, u.full_name, u.role, u.bot_type, u.active, u.joined_at,
        u.avatar_source, u.avatar_version, u.settings,
        u.owner_id, case when b.active then b.role end, b.joined_at,
        u.changed_at, o.changed_at, b.changed_at
    from users u
    join organizations o on o.org_id = u.org_id
    left join users b on b.org_id = u.org_id and b.user_id = u.owner_id
    where u.api_key_hash = key_hash
$$;
-- +goose StatementEnd
revoke all on function authenticate(bytea) from public;
grant execute on function authenticate(bytea) to chatserver_service;

create table user_statuses (
    org_id  bigint  not null default current_setting('app.org')::bigint,
    user_id bigint  not null,
    away    boolean not null default false,
    text    text    not null default '' check (char_length(text) <= 60),
    primary key (org_id, user_id),
    foreign key (org_id, user_id) references users
);

-- +goose StatementBegin
do $$
declare t text;
begin
    foreach t in array array['topic_marks', 'unread_again', 'reactions', 'deleted_messages', 'alert_words', 'user_statuses'] loop
        execute format('alter table %I enable row level security', t);
        execute format('create policy own_organization on %I to chatserver_service
            using (org_id = current_setting(''app.org'')::bigint)
            with check (org_id = current_setting(''app.org'')::bigint)', t);
        execute format('create policy everywhere on %I to chatserver_everywhere using (true) with check (true)', t);
        execute format('grant select, insert, update, delete on %I to chatserver_service', t);
    end loop;
end $$;
-- +goose StatementEnd

-- search_messages gives the newest or the oldest messages with all words, up to a number, in that
-- order; where they are not null, of one stream or one sender. Under row-level security @@ would never
-- become a condition of the index, so this looks at all organizations and names its own. It is planned
-- each time: a frequent word is found faster by going through the stream.
-- +goose StatementBegin
create function search_messages(words text, stream bigint, sender bigint, first bigint, last bigint, newest boolean, most integer)
    returns bigint[]
    language plpgsql stable security definer set search_path from current set plan_cache_mode = force_custom_plan as $$
begin
    if newest then
        return array(select m.message_id from messages m
            where m.org_id = current_setting('app.org')::bigint and m.search @@ plainto_tsquery('english', words)
                and (stream is null or m.stream_id = stream) and (sender is null or m.sender_id = sender)
                and m.message_id >= first and m.message_id <= last
            order by m.message_id desc limit most);
    end if;
    return array(select m.message_id from messages m
        where m.org_id = current_setting('app.org')::bigint and m.search @@ plainto_tsquery('english', words)
            and (stream is null or m.stream_id = stream) and (sender is null or m.sender_id = sender)
            and m.message_id >= first and m.message_id <= last
        order by m.message_id limit most);
end $$;
-- +goose StatementEnd
revoke all on function search_messages(text, bigint, bigint, bigint, bigint, boolean, integer) from public;
grant execute on function search_messages(text, bigint, bigint, bigint, bigint, boolean, integer) to chatserver_service;
