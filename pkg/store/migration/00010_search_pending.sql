-- The index of words is merged a little at a time.

-- +goose Up

-- Words of new messages wait in a list until there is as much as this (in kB), and the insert that fills it merges
-- them into the index, in its own transaction, for which all events wait. With the 4 MB that PostgreSQL has by default
-- that took 50 ms.
alter index messages_search set (gin_pending_list_limit = 512);
