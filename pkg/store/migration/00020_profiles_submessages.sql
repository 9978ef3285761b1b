-- Profile fields that are removed in steps, and submessages.

-- +goose Up

-- A field that is removed is gone for everybody at once; its values go some at a time (docs/decisions/0014-short-transactions.md).
alter table profile_fields add removed boolean not null default false;
drop index profile_fields_name;
create unique index profile_fields_name on profile_fields (org_id, lower(name)) where not removed;
create index profile_values_field on profile_values (org_id, field_id);
create trigger profile_fields_people after update of removed on profile_fields for each row
    when (old.removed is distinct from new.removed) execute function note_people_change();

-- What belongs to widgets in messages (rest-api.md, section 2.14).
create sequence submessage_ids;
create table submessages (
    org_id        bigint not null default current_setting('app.org')::bigint,
    message_id    bigint not null,
    submessage_id bigint not null default nextval('submessage_ids'),
    sender_id     bigint not null,
    msg_type      text   not null,
    content       text   not null, -- JSON
    primary key (org_id, message_id, submessage_id)
);
alter table submessages enable row level security;
create policy own_organization on submessages to chatserver_service
    using (org_id = current_setting('app.org')::bigint)
    with check (org_id = current_setting('app.org')::bigint);
create policy everywhere on submessages to chatserver_everywhere using (true) with check (true);
grant select, insert, update, delete on submessages to chatserver_service;
grant usage on sequence submessage_ids to chatserver_service;

-- destroy_some_deleted_messages ends up to most rows of messages that were deleted before keep, and returns how many it were: their
-- submessages, and then the messages themselves. It runs as the owner, since it is about all organizations.
-- +goose StatementBegin
create or replace function destroy_some_deleted_messages(keep interval, most integer) returns bigint
    language plpgsql security definer set search_path from current as $$
declare
    parts    bigint;
    messages bigint := 0;
begin
    delete from submessages where ctid = any (array(
        select s.ctid from deleted_messages d join submessages s on s.org_id = d.org_id and s.message_id = d.message_id
        where d.deleted_at < now() - keep limit most));
    get diagnostics parts = row_count;
    if parts < most then -- no such message has any
        delete from deleted_messages where ctid = any (array(
            select ctid from deleted_messages where deleted_at < now() - keep limit most - parts));
        get diagnostics messages = row_count;
    end if;
    return parts + messages;
end $$;
-- +goose StatementEnd

-- send_message also stores the first submessage of a message with a widget, whose event has it in place of the payload's. The
-- function gets these lines more, whatever migrations have made of the rest. (sqlc reads neither statement.)
-- +goose StatementBegin
do $do$
declare
    definition text := pg_get_functiondef('send_message(boolean, new_message)'::regprocedure);
    place      record;
begin
    alter type new_message add attribute widget text; -- content of the first submessage, as JSON; null: none
    for place in select * from (values
        (E'declare\n', $sql$declare
    sub     bigint;
    widget  text := ''; -- the member submessages of the event
$sql$),
        ('    insert into event_log (', $sql$    if m.widget is not null then
        insert into submessages (org_id, message_id, sender_id, msg_type, content)
            values (m.org, message, m.sender, 'widget', m.widget) returning submessage_id into sub;
        widget := '"submessages":[{"id":' || sub || ',"message_id":' || message || ',"sender_id":' || m.sender
            || ',"msg_type":"widget","content":' || to_json(m.widget)::text || '}],';
    end if;
    insert into event_log ($sql$),
        ('|| m.payload', '|| widget || m.payload')
    ) p (before, after) loop
        if length(definition) - length(replace(definition, place.before, '')) <> length(place.before) then
            raise exception 'send_message has not exactly one %', place.before;
        end if;
        definition := replace(definition, place.before, place.after);
    end loop;
    execute definition;
end $do$;
-- +goose StatementEnd
