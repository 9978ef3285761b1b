-- What fails while messages are looked at is tried again in the same call, so nothing counts how often a part is read.

-- +goose Up
alter table missed_places drop column tries;
