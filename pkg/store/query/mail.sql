-- The queries in this file store mails to be sent, and the state of links in mails (docs/decisions/0018-mail.md).
--

-- name: AddMails :exec
insert into mails (kind, address, state) select @kind, unnest(@addresses::text[]), unnest(@states::text[])::jsonb;

-- name: DueMails :many
-- Returns mails of all organizations that are due, the longest waiting first, but those with low priority last. It
-- finds them with the index mails_due.
select org_id, mail_id, kind, address from mails where due_at < now() and kind = any (@kinds::text[])
order by kind = any (@low_priority::text[]), due_at limit @max_rows::integer;

-- name: ClaimMail :one
-- Leases a mail that is due, and returns its state and how often it has been attempted. Returns no row if another
-- process has claimed or sent it. If the caller fails, the mail is due again when the lease ends.
update mails set attempts = attempts + 1, due_at = now() + make_interval(secs => @lease_seconds::float8)
where mail_id = @mail_id and due_at < now()
returning state, attempts;

-- name: PostponeMail :exec
update mails set attempts = @attempts, due_at = now() + make_interval(secs => @pause_seconds::float8) where mail_id = @mail_id;

-- name: EndMail :exec
delete from mails where mail_id = @mail_id;

-- name: AddMailLink :exec
-- Adds the state of a link. It also deletes up to 100 links that have ended.
with gone as (
    delete from mail_links where token_hash in (
        select l.token_hash from mail_links l
        where l.org_id = current_setting('app.org')::bigint and l.ends_at < @now::timestamptz limit 100)
)
insert into mail_links (token_hash, kind, state, ends_at) values (@token_hash, @kind, @state, @ends_at);

-- name: MailLink :one
select state from mail_links where token_hash = @token_hash and kind = @kind and ends_at > @now::timestamptz;

-- name: UseMailLink :one
delete from mail_links where token_hash = @token_hash and kind = @kind and ends_at > @now::timestamptz returning state;
