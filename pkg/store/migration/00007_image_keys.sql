-- Keys for the addresses under which this server serves images of others.

-- +goose Up

-- The newest key signs, and all of them are accepted (docs/decisions/0015-images.md). They are the whole server's.
create table image_keys (
    key_id     bigint      primary key generated always as identity,
    key        bytea       not null default sha256(uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()))
        check (octet_length(key) >= 32),
    created_at timestamptz not null default now()
);
insert into image_keys default values;
grant select on image_keys to chatserver_service;
