-- Functions about files whose plans are kept: PostgreSQL plans those in SQL again for each statement that calls them.

-- +goose Up

-- +goose StatementBegin
create or replace function attachment_json(a attachments) returns jsonb language plpgsql stable as $$
begin
    return jsonb_build_object(
        'id', a.attachment_id, 'name', a.name, 'path_id', a.path || '/' || a.slug, 'size', a.size,
        'create_time', floor(extract(epoch from a.created_at))::bigint * 1000,
        'messages', coalesce((
            select jsonb_agg(jsonb_build_object('id', n.message_id, 'date_sent', floor(extract(epoch from n.sent_at))::bigint * 1000) order by n.message_id)
            from (
                select m.message_id, m.sent_at from attachment_messages c
                join messages m on m.org_id = c.org_id and m.message_id = c.message_id
                where c.org_id = a.org_id and c.attachment_id = a.attachment_id
                order by c.message_id desc limit 50
            ) n), '[]'));
end $$;
-- +goose StatementEnd

-- +goose StatementBegin
create or replace function attachment_readable(a attachments, reader bigint, is_guest boolean) returns boolean language plpgsql stable as $$
begin
    if a.owner_id = reader then
        return true;
    end if;
    return exists (
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
            or s.history_public and (s.is_web_public or not s.invite_only and not is_guest or u.active));
end $$;
-- +goose StatementEnd
