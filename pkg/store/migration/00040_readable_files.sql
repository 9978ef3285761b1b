-- Whoever asks for many files at once has fewer messages of each looked at.

-- +goose Up

-- attachment_readable reports whether an account may read an uploaded file (rest-api.md, section 5.10): its owner, and who
-- may read one of the messages that it is in, of which it looks at the newest ones, up to the number most.
drop function attachment_readable(attachments, bigint, boolean);
-- +goose StatementBegin
create function attachment_readable(a attachments, reader bigint, is_guest boolean, most integer default 10000)
    returns boolean language plpgsql stable as $$
begin
    if a.owner_id = reader then
        return true;
    end if;
    return exists (
        select from (
            select c.org_id, c.message_id from attachment_messages c
            where c.org_id = a.org_id and c.attachment_id = a.attachment_id
            order by c.message_id desc limit most
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
