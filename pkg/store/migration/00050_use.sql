-- Which server uses the database: its host, an id of its Redis, and when its dispatcher last said so. Two servers must not use one
-- database; another server is one with another host and another Redis.

-- +goose Up
alter table installation
    add column host    text not null default '',
    add column redis   text not null default '',
    add column used_at timestamptz not null default '-infinity';
grant update (host, redis, used_at) on installation to chatserver_everywhere;
