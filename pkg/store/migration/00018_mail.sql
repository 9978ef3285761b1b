-- Mail, links in mail, and invitations (docs/decisions/0018-mail.md).

-- +goose Up

-- Mail that is yet to be sent. What it says is composed when it is sent, so nothing secret waits here. Organization 0 is the
-- server itself.
create sequence mail_ids;
create table mails (
    org_id     bigint      not null default current_setting('app.org')::bigint,
    mail_id    bigint      not null default nextval('mail_ids'),
    kind       text        not null,
    address    text        not null, -- whom it is for
    state      jsonb       not null, -- what its kind has to know
    created_at timestamptz not null default now(),
    attempts   smallint    not null default 0,
    due_at     timestamptz not null default now(), -- who is about to send it moves this on, so that nobody else does
    primary key (org_id, mail_id)
);
create index mails_due on mails (due_at);

-- What links in mail stand for. A link counts once, and until it ends.
create table mail_links (
    org_id     bigint      not null default current_setting('app.org')::bigint,
    token_hash bytea       not null, -- SHA-256
    kind       text        not null,
    state      jsonb       not null,
    ends_at    timestamptz not null,
    primary key (org_id, token_hash)
);
create index mail_links_ends on mail_links (org_id, ends_at);

-- People who are invited, and links that anybody may join by.
create sequence invitation_ids;
create table invitations (
    org_id        bigint      not null default current_setting('app.org')::bigint references organizations,
    invitation_id bigint      not null default nextval('invitation_ids'),
    inviter_id    bigint      not null,
    email         text, -- null: a link for anybody
    email_key     text        generated always as (lower(email)) stored,
    link          text, -- the secret part of such a link, which administrators can see again
    role          smallint    not null check (role in (100, 200, 400, 600)),
    streams       bigint[]    not null,
    invited_at    timestamptz not null default now(),
    primary key (org_id, invitation_id),
    foreign key (org_id, inviter_id) references users,
    check ((email is null) <> (link is null))
);
create unique index invitations_link on invitations (org_id, link) where link is not null;
create index invitations_email on invitations (org_id, email_key) where email is not null;
create index invitations_invited_at on invitations (org_id, invited_at);

-- +goose StatementBegin
do $$
declare
    t text;
begin
    foreach t in array array['mails', 'mail_links', 'invitations'] loop
        execute format('alter table %I enable row level security', t);
        execute format('create policy own_organization on %I to chatserver_service
            using (org_id = current_setting(''app.org'')::bigint)
            with check (org_id = current_setting(''app.org'')::bigint)', t);
        execute format('create policy everywhere on %I to chatserver_everywhere using (true) with check (true)', t);
        execute format('grant select, insert, update, delete on %I to chatserver_service', t);
    end loop;
end $$;
-- +goose StatementEnd
grant select on mails to chatserver_everywhere;
grant usage on sequence mail_ids, invitation_ids to chatserver_service;
