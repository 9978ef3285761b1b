-- Accounts of people, and user groups, that machines keep.

-- +goose Up

alter table external_keys drop constraint external_keys_kind_check;
alter table external_keys add constraint external_keys_kind_check check (kind in ('stream', 'bot', 'webhook', 'user'));

-- What machines call a user group; null: none of them keeps it.
alter table user_groups add external_key text check (char_length(external_key) between 1 and 200);
create unique index user_groups_external_key on user_groups (org_id, external_key);
