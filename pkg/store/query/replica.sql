-- name: PrimaryPlace :one
-- Returns the end of the write-ahead log on the primary, in bytes, with its timeline. Everything that is visible is
-- before it. The log up to there has been flushed to disk, or, if synchronous_commit is off, at least inserted. The
-- query fails on a replica.
select left(pg_walfile_name(pg_current_wal_lsn()), 8)::text as timeline,
    (case when current_setting('synchronous_commit') = 'off' then pg_current_wal_insert_lsn() else pg_current_wal_flush_lsn() end - '0/0')::bigint as place;

-- name: ServerState :one
-- Identifies the database, and returns the timeline and how far this server is, in bytes. A replica returns the
-- position up to which it has replayed the log. Its timeline is one that it follows for certain, which may be the
-- former one for some minutes after a failover. The query takes three times as long as PrimaryPlace.
select (s.system_identifier::text || '.' || current_database())::text as database,
    (case when pg_is_in_recovery() then lpad(upper(to_hex(r.min_recovery_end_timeline)), 8, '0')
        else left(pg_walfile_name(pg_current_wal_lsn()), 8) end)::text as timeline,
    (case when pg_is_in_recovery() then pg_last_wal_replay_lsn()
        when current_setting('synchronous_commit') = 'off' then pg_current_wal_insert_lsn()
        else pg_current_wal_flush_lsn() end - '0/0')::bigint as place
from pg_control_system() s, pg_control_recovery() r;
