-- Large values of messages are compressed by LZ4, if PostgreSQL has it: pglz takes 20 ms for the edits of a message (1 MiB), while events
-- of all organizations wait for the transaction.

-- +goose Up
-- +goose StatementBegin
do $$
begin
    if exists (select from pg_settings where name = 'default_toast_compression' and 'lz4' = any (enumvals)) then
        alter table messages alter content set compression lz4, alter rendered set compression lz4, alter edits set compression lz4;
        alter table deleted_messages alter message set compression lz4;
    end if;
end $$;
-- +goose StatementEnd
