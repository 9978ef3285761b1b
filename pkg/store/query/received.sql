-- The queries in this file are for incoming mail.
--

-- name: StreamByEmailToken :one
-- Searches the active streams of all active organizations for the one with a token in its email address.
select s.org_id, s.stream_id from streams s join organizations o on o.org_id = s.org_id
where s.email_token = @email_token and not s.deactivated and not o.deactivated;

-- name: SystemAccount :one
select * from users where org_id = current_setting('app.org')::bigint and system and email_key = lower(@email::text);

-- name: MailReceived :one
select exists (select from received_mails where mail_hash = @mail_hash) as received;

-- name: AddReceivedMail :execrows
-- Records that a mail was received. Affects no row if it was received before. It also deletes up to 100 records that
-- are older than 7 days.
with gone as (
    delete from received_mails where mail_hash in (
        select r.mail_hash from received_mails r
        where r.org_id = current_setting('app.org')::bigint and r.received_at < now() - interval '7 days' limit 100)
)
insert into received_mails (mail_hash) values (@mail_hash) on conflict do nothing;
