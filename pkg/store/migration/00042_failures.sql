-- What fails once isn't lost.

-- +goose Up

-- How often the part of the log after a place has been claimed.
alter table missed_places add column tries smallint not null default 0;

-- Until when a file is kept for scheduled messages, though it may be in no message. That was noted in unclaimed_since, which
-- other messages with the file overwrite.
alter table attachments add column kept_until timestamptz;
update attachments set kept_until = unclaimed_since where unclaimed_since > now();
