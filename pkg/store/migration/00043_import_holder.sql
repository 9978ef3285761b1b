-- Of several processes that import an organization, the last one does.

-- +goose Up
alter table imports add column holder bigint not null default 1; -- how many processes have begun or continued it: the last one's number
