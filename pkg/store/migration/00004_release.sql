-- Which release of the server the schema still works with, so that a rollback knows how far it may go.

-- +goose Up

-- The oldest release that works with this schema. A migration that takes something away which a release
-- still uses raises it, in the same transaction: update installation set min_server_version = '0.2.0'.
-- It may only take away what the release before its own had stopped using, so that two neighbouring
-- releases always work side by side, and the one before the newest can be gone back to.
alter table installation add column min_server_version text not null default '0.1.0';
