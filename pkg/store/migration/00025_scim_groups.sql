-- User groups that identity providers manage by SCIM.

-- +goose Up

-- What a provider calls a group, if it has said so.
alter table user_groups add column external_id text;
