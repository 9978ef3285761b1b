-- name: PrimaryPlace :one
-- How far the primary is: it has on its disk what anybody can see, or has at least written it where commits don't wait for
-- disks. It fails on a replica.
select left(pg_walfile_name(pg_current_wal_lsn()), 8)::text as timeline,
    (case when current_setting('synchronous_commit') = 'off' then pg_current_wal_insert_lsn() else pg_current_wal_flush_lsn() end - '0/0')::bigint as place;

-- name: ServerState :one
-- Which database it is, and how far this server is. A replica is as far as it shows what was written; it names the timeline
-- that it follows for certain, which for some minutes after a failover may be the former one. It costs three times as much.
select (s.system_identifier::text || '.' || current_database())::text as database,
    (case when pg_is_in_recovery() then lpad(upper(to_hex(r.min_recovery_end_timeline)), 8, '0')
        else left(pg_walfile_name(pg_current_wal_lsn()), 8) end)::text as timeline,
    (case when pg_is_in_recovery() then pg_last_wal_replay_lsn()
        when current_setting('synchronous_commit') = 'off' then pg_current_wal_insert_lsn()
        else pg_current_wal_flush_lsn() end - '0/0')::bigint as place
from pg_control_system() s, pg_control_recovery() r;
