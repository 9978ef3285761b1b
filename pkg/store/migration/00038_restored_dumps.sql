-- The restore of a dump makes the table again, with another OID, so the database is another history than the one that the dump was
-- made of. Until then the incarnation is what earlier releases call it.

-- +goose Up

alter table installation add column table_oid oid not null default 0; -- of this table when it was made
update installation set table_oid = 'installation'::regclass::oid;
