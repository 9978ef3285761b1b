-- Messages that share a transaction are stored by one statement for each table.

-- +goose Up

-- +goose StatementBegin
do $$
begin
    alter type new_message add attribute bots bigint[]; -- outgoing webhook bots to be called
    alter type new_message add attribute cause text;    -- why
end $$;
-- +goose StatementEnd

-- hold_places is as before, but isn't parsed and planned by each transaction that calls it.
-- +goose StatementBegin
create or replace function hold_places(places bigint[]) returns void language plpgsql as $$
declare
    place bigint;
    held  text[] := '{none}'; -- an empty list would mean that it wasn't called
begin
    foreach place in array places loop
        if pg_try_advisory_xact_lock_shared(place) then
            held := held || place::text;
        end if;
    end loop;
    perform set_config('app.places', array_to_string(held, ','), true);
end $$;
-- +goose StatementEnd

-- send_messages stores messages of one organization with their events, in order, and returns for each its id; 0 if the facts that its
-- permission depends on have changed; or -1 if it would have to wait for a lock. The parts of a message that are long don't travel as
-- JSON, which would be parsed twice: contents, htmls (rendered) and payloads.
--
-- All locks come before the first id, since that may give the transaction its own id: see hold_places. Plans are kept, because to make
-- them takes longer than to run them, and the number of messages doesn't matter.
-- +goose StatementBegin
create function send_messages(may_wait boolean, messages json[], contents text[], htmls text[], payloads text[])
    returns bigint[] language plpgsql set plan_cache_mode = force_generic_plan as $$
declare
    -- null: hold_places wasn't called
    held  constant text[] := string_to_array(nullif(current_setting('app.places', true), ''), ',');
    batch new_message[];
    ids   bigint[];
    first boolean[]; -- of its stream
    more  integer[] := '{}'; -- messages with more to store
    m     new_message;
    place bigint;
    known bigint;
    sub   bigint;
begin
    for i in 1 .. cardinality(messages) loop
        m := json_populate_record(null::new_message, messages[i]);
        batch[i] := m;
        place := coalesce(m.stream, m.conversation);
        if may_wait then
            perform pg_advisory_xact_lock_shared(place);
        elsif held is null and not pg_try_advisory_xact_lock_shared(place) or not place::text = any (held) then
            ids[i] := -1;
        end if;
    end loop;
    perform set_config('app.org', m.org::text, true);

    for i in 1 .. cardinality(messages) loop
        continue when ids[i] is not null;
        m := batch[i];
        if m.stream is not null then
            select coalesce(s.first_message_id, 0) into known from streams s
                where s.org_id = m.org and s.stream_id = m.stream and s.version = m.stream_version and not s.deactivated;
            if found and m.access_by is not null then
                perform from subscriptions s
                    where s.org_id = m.org and s.stream_id = m.stream and s.user_id = m.access_by and s.active;
            end if;
            if not found then
                ids[i] := 0;
                continue;
            end if;
            first[i] := known = 0;
        end if;
        ids[i] := nextval('message_ids');
        if first[i] or m.attachments is not null or m.widget is not null or m.flagged is not null or m.flagged_anyway is not null
            or m.bots is not null then
            more := more || i;
        end if;
    end loop;

    insert into messages (org_id, message_id, sender_id, stream_id, conversation_id, topic, content, rendered,
                          renderer, client, flags)
        select batch[i].org, ids[i], batch[i].sender, batch[i].stream, batch[i].conversation, batch[i].topic, contents[i], htmls[i],
            batch[i].renderer, batch[i].client, batch[i].flags
        from generate_subscripts(ids, 1) i where ids[i] > 0;

    for i in 1 .. cardinality(more) loop
        m := batch[more[i]];
        if cardinality(m.attachments) > 0 then
            perform claim_attachments(m.org, m.shard, m.sender, ids[more[i]], m.attachments, m.trace);
        end if;
        if m.widget is not null then
            insert into submessages (org_id, message_id, sender_id, msg_type, content)
                values (m.org, ids[more[i]], m.sender, 'widget', m.widget) returning submessage_id into sub;
            payloads[more[i]] := '"submessages":[{"id":' || sub || ',"message_id":' || ids[more[i]] || ',"sender_id":' || m.sender
                || ',"msg_type":"widget","content":' || to_json(m.widget)::text || '}],' || payloads[more[i]];
        end if;
    end loop;

    insert into event_log (shard, org_id, type, payload, audience, trace)
        select batch[i].shard, batch[i].org, 'message', '{"type":"message","message":{"id":' || ids[i] || ',"timestamp":'
                || floor(extract(epoch from now()))::bigint || ',' || payloads[i], batch[i].audience, batch[i].trace
        from generate_subscripts(ids, 1) i where ids[i] > 0;

    for i in 1 .. cardinality(more) loop
        m := batch[more[i]];
        if first[more[i]] then
            update streams s set first_message_id = ids[more[i]]
                where s.org_id = m.org and s.stream_id = m.stream and s.first_message_id is null;
        end if;
        if cardinality(m.flagged) > 0 then
            insert into message_flags (org_id, user_id, message_id, flags)
                select m.org, s.user_id, ids[more[i]], f.flags from unnest(m.flagged) f
                join subscriptions s on s.org_id = m.org and s.stream_id = m.stream and s.user_id = f.user_id and s.active;
        end if;
        if cardinality(m.flagged_anyway) > 0 then
            insert into message_flags (org_id, user_id, message_id, flags)
                select m.org, f.user_id, ids[more[i]], f.flags from unnest(m.flagged_anyway) f
                on conflict do nothing;
        end if;
        -- Unless so many are left of a bot's or of the organization's that more would never be made.
        if cardinality(m.bots) > 0
            and (select count(*) from (select from webhook_calls c where c.org_id = m.org limit 10000) waiting) < 10000 then
            insert into webhook_calls (org_id, user_id, message_id, cause)
                select m.org, b, ids[more[i]], m.cause from unnest(m.bots) b
                where (select count(*) from (select from webhook_calls c where c.org_id = m.org and c.user_id = b limit 1000) waiting) < 1000;
        end if;
    end loop;
    return ids;
end $$;
-- +goose StatementEnd

drop function send_message_to_bots(boolean, new_message, bigint[], text);
drop function send_message(boolean, new_message);
