-- Files that people upload, and the messages that they are in.

-- +goose Up

-- What the storage keeps (pkg/blob), by its name there.
create table files (
    org_id bigint not null default current_setting('app.org')::bigint references organizations,
    path   text   not null check (octet_length(path) between 1 and 200),
    size   bigint not null check (size >= 0), -- in bytes
    primary key (org_id, path)
);

-- What the storage may have and nothing keeps: files that are being stored, and those that were dropped. They are removed
-- when they are due. The column isn't called org_id, for rows outlive their organization: erase_organization
-- doesn't find them.
create table unkept_files (
    path     text        primary key,
    org      bigint      not null default current_setting('app.org')::bigint,
    due_at   timestamptz not null,
    removing boolean     not null default false -- it can't be kept any more
);
create index unkept_files_due on unkept_files (due_at);
alter table unkept_files enable row level security;
create policy own_organization on unkept_files to chatserver_service
    using (org = current_setting('app.org')::bigint)
    with check (org = current_setting('app.org')::bigint);
create policy everywhere on unkept_files to chatserver_everywhere using (true) with check (true);
grant select, insert, update, delete on unkept_files to chatserver_service, chatserver_everywhere;

-- Whatever deletes a row of files, the deletion of an organization too, drops the file.
-- +goose StatementBegin
create function drop_file() returns trigger language plpgsql as $$
begin
    insert into unkept_files (path, org, due_at) values (old.path, old.org_id, now())
        on conflict (path) do update set due_at = excluded.due_at;
    return null;
end $$;
-- +goose StatementEnd
create trigger files_dropped after delete on files for each row execute function drop_file();

-- Uploaded files (rest-api.md, section 5.10).
create sequence attachment_ids;
create table attachments (
    org_id        bigint      not null default current_setting('app.org')::bigint,
    attachment_id bigint      not null default nextval('attachment_ids'),
    owner_id      bigint      not null,
    path          text        not null, -- in files; with /slug the address after /user_uploads/
    name          text        not null check (octet_length(name) between 1 and 255), -- for people
    slug          text        not null check (octet_length(slug) between 1 and 255), -- the name in addresses
    media_type    text        not null, -- of what browsers may show; empty: they save it
    size          bigint      not null check (size >= 0), -- in bytes
    created_at    timestamptz not null default now(),
    -- Since when it may be in no message: a while after that it is removed, if so. Null: it is in one.
    unclaimed_since timestamptz default now(),
    primary key (org_id, attachment_id),
    unique (org_id, path),
    foreign key (org_id, owner_id) references users,
    foreign key (org_id, path) references files
);
create index attachments_owner on attachments (org_id, owner_id, attachment_id);
create index attachments_unclaimed on attachments (unclaimed_since) where unclaimed_since is not null;

-- The messages that an uploaded file is in. A message that is deleted by the release before this one leaves its rows.
create table attachment_messages (
    org_id        bigint not null default current_setting('app.org')::bigint,
    attachment_id bigint not null,
    message_id    bigint not null,
    primary key (org_id, attachment_id, message_id),
    foreign key (org_id, attachment_id) references attachments on delete cascade
);
create index attachment_messages_message on attachment_messages (org_id, message_id);

-- How many bytes an organization's uploaded files have together.
create table upload_space (
    org_id bigint not null default current_setting('app.org')::bigint primary key references organizations,
    used   bigint not null
);

-- +goose StatementBegin
do $$
declare
    t text;
begin
    foreach t in array array['files', 'attachments', 'attachment_messages', 'upload_space'] loop
        execute format('alter table %I enable row level security', t);
        execute format('create policy own_organization on %I to chatserver_service
            using (org_id = current_setting(''app.org'')::bigint)
            with check (org_id = current_setting(''app.org'')::bigint)', t);
        execute format('create policy everywhere on %I to chatserver_everywhere using (true) with check (true)', t);
        execute format('grant select, insert, update, delete on %I to chatserver_service', t);
    end loop;
end $$;
-- +goose StatementEnd
grant select on attachments to chatserver_everywhere;
grant usage on sequence attachment_ids to chatserver_service;

-- attachment_json is an uploaded file as clients get it. Of its messages it has the newest 50: a file can be in any number.
-- +goose StatementBegin
create function attachment_json(a attachments) returns jsonb language sql stable as $$
    select jsonb_build_object(
        'id', a.attachment_id, 'name', a.name, 'path_id', a.path || '/' || a.slug, 'size', a.size,
        'create_time', floor(extract(epoch from a.created_at))::bigint * 1000,
        'messages', coalesce((
            select jsonb_agg(jsonb_build_object('id', n.message_id, 'date_sent', floor(extract(epoch from n.sent_at))::bigint * 1000) order by n.message_id)
            from (
                select m.message_id, m.sent_at from attachment_messages c
                join messages m on m.org_id = c.org_id and m.message_id = c.message_id
                where c.org_id = a.org_id and c.attachment_id = a.attachment_id
                order by c.message_id desc limit 50
            ) n), '[]'))
$$;
-- +goose StatementEnd

-- attachment_readable reports whether an account may read an uploaded file (rest-api.md, section 5.10): its owner, and who
-- may read one of the messages that it is in, of which it looks at the newest 10,000.
-- +goose StatementBegin
create function attachment_readable(a attachments, reader bigint, is_guest boolean) returns boolean language sql stable as $$
    select a.owner_id = reader or exists (
        select from (
            select c.org_id, c.message_id from attachment_messages c
            where c.org_id = a.org_id and c.attachment_id = a.attachment_id
            order by c.message_id desc limit 10000
        ) c
        join messages m on m.org_id = c.org_id and m.message_id = c.message_id
        left join streams s on s.org_id = m.org_id and s.stream_id = m.stream_id
        left join subscriptions u on u.org_id = m.org_id and u.stream_id = m.stream_id and u.user_id = reader
        left join conversation_members p on p.org_id = m.org_id and p.conversation_id = m.conversation_id and p.user_id = reader
        left join message_flags f on f.org_id = m.org_id and f.message_id = m.message_id and f.user_id = reader
        where p.user_id is not null or f.user_id is not null or u.received @> m.message_id
            or s.history_public and (s.is_web_public or not s.invite_only and not is_guest or u.active))
$$;
-- +goose StatementEnd

-- claim_attachments notes that uploaded files are in a message, and stores the events for its sender: of the files that
-- weren't in it before.
-- +goose StatementBegin
create function claim_attachments(org bigint, shard smallint, sender bigint, message bigint, wanted bigint[], trace text)
    returns void language plpgsql as $$
#variable_conflict use_variable
declare
    claimed bigint[];
begin
    with added as (
        insert into attachment_messages (org_id, attachment_id, message_id)
            select a.org_id, a.attachment_id, message from attachments a
            where a.org_id = org and a.attachment_id = any (wanted) order by a.attachment_id
            on conflict do nothing
        returning attachment_messages.attachment_id
    )
    select array_agg(added.attachment_id) into claimed from added;
    update attachments a set unclaimed_since = null
        where a.org_id = org and a.attachment_id = any (claimed) and a.unclaimed_since is not null;
    insert into event_log (shard, org_id, type, payload, audience, trace)
        select shard, org, 'attachment', '{"type":"attachment","op":"update","attachment":' || attachment_json(a)::text || ',"upload_space_used":'
                || coalesce((select u.used from upload_space u where u.org_id = org), 0) || '}', '{"users":[' || sender || ']}', trace
        from attachments a where a.org_id = org and a.attachment_id = any (claimed) order by a.attachment_id;
end $$;
-- +goose StatementEnd

-- A message names the files that its sender may read, and claims them: their events come before its own. send_message gets
-- these lines more, whatever migrations have made of the rest. (sqlc reads neither statement.)
-- +goose StatementBegin
do $do$
declare
    definition text := pg_get_functiondef('send_message(boolean, new_message)'::regprocedure);
    place      text := '    insert into event_log (';
begin
    alter type new_message add attribute attachments bigint[];
    if length(definition) - length(replace(definition, place, '')) <> length(place) then
        raise exception 'send_message has not exactly one %', place;
    end if;
    execute replace(definition, place, $sql$    if cardinality(m.attachments) > 0 then
        perform claim_attachments(m.org, m.shard, m.sender, message, m.attachments, m.trace);
    end if;
$sql$ || place);
end $do$;
-- +goose StatementEnd
