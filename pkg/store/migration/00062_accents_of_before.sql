-- The messages of before that 00061 concerns are indexed again, a few thousand at a time, so that nobody waits for long who edits one.

-- +goose no transaction
-- +goose Up

set lock_timeout = 0;
-- +goose StatementBegin
do $$
declare
    after_org     bigint := 0;
    after_message bigint := 0;
    last_org      bigint;
    last_message  bigint;
begin
    loop
        select org_id, message_id into last_org, last_message from (
            select org_id, message_id from messages where (org_id, message_id) > (after_org, after_message) order by org_id, message_id limit 5000
        ) m order by org_id desc, message_id desc limit 1;
        exit when not found;
        update messages set topic = topic -- this indexes the message
            where (org_id, message_id) > (after_org, after_message) and (org_id, message_id) <= (last_org, last_message)
                and topic || ' ' || content ~ '[\u00c0-\u024f\u0300-\u036f\u0386-\u0390\u03aa-\u03b0\u03c2\u03ca-\u03ce\u0400\u0401\u0403\u0407\u040c-\u040e\u0450\u0451\u0453\u0457\u045c-\u045e\u0476\u0477\u04c1-\u04f9\u1e00-\u1fff]';
        commit;
        after_org := last_org;
        after_message := last_message;
    end loop;
end $$;
-- +goose StatementEnd
reset lock_timeout;
