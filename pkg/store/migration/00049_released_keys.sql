-- Whoever managed an organization, or something in it, under a key may release it: another key may then adopt it, and the
-- same key manages it again without more ado.

-- +goose Up
alter table organizations add column key_released boolean not null default false;
alter table external_keys add column released boolean not null default false;
