-- What outgoing webhook bots are to be called with.

-- +goose Up

-- Calls that are still to be made, in the order of their ids for each bot (docs/decisions/0017-outgoing-webhooks.md).
create sequence webhook_call_ids;
create table webhook_calls (
    org_id     bigint      not null default current_setting('app.org')::bigint references organizations,
    call_id    bigint      not null default nextval('webhook_call_ids'),
    user_id    bigint      not null, -- the bot
    message_id bigint      not null, -- what it is called with
    cause      text        not null check (cause in ('mention', 'private_message')),
    attempts   smallint    not null default 0,
    created_at timestamptz not null default now(),
    due_at     timestamptz not null default now(), -- when any process makes it, if nobody has by then
    primary key (org_id, call_id)
);
create index webhook_calls_due on webhook_calls (due_at);
create index webhook_calls_bot on webhook_calls (org_id, user_id, call_id);

-- send_message_to_bots is send_message for a message that concerns outgoing webhook bots: their calls are stored with it, unless
-- so many are left of a bot's or of the organization's that more would never be made.
-- +goose StatementBegin
create function send_message_to_bots(may_wait boolean, m new_message, bots bigint[], cause text) returns bigint language plpgsql as $$
declare
    message constant bigint := send_message(may_wait, m);
begin
    if message > 0 and (select count(*) from (select from webhook_calls c where c.org_id = m.org limit 10000) waiting) < 10000 then
        insert into webhook_calls (org_id, user_id, message_id, cause)
            select m.org, b, message, send_message_to_bots.cause from unnest(bots) b
            where (select count(*) from (select from webhook_calls c where c.org_id = m.org and c.user_id = b limit 1000) waiting) < 1000;
    end if;
    return message;
end $$;
-- +goose StatementEnd

alter table webhook_calls enable row level security;
create policy own_organization on webhook_calls to chatserver_service
    using (org_id = current_setting('app.org')::bigint)
    with check (org_id = current_setting('app.org')::bigint);
create policy everywhere on webhook_calls to chatserver_everywhere using (true) with check (true);
grant select, insert, update, delete on webhook_calls to chatserver_service;
grant select on webhook_calls to chatserver_everywhere;
grant usage on sequence webhook_call_ids to chatserver_service;
