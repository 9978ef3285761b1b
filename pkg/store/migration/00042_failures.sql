-- What fails once isn't lost.

-- +goose Up

-- How often the part of the log after a place has been claimed.
alter table missed_places add column tries smallint not null default 0;
