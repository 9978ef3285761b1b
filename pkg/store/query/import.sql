-- The queries in this file import organizations (pkg/transfer).
--

-- name: BeginImport :one
insert into imports (archive) values (@archive) returning holder;

-- name: SetReachable :exec
-- Activates or deactivates the organization. The transaction that creates it deactivates it, so that nobody can reach
-- it until it is complete.
update organizations set deactivated = not @reachable::bool where org_id = current_setting('app.org')::bigint;

-- name: Importing :one
select exists (select from imports where org_id = current_setting('app.org')::bigint)::bool as importing;

-- name: ContinueImport :one
-- Takes the import of an archive over from the process that holds it, if any. It waits for that one's transactions.
update imports set holder = holder + 1 where org_id = current_setting('app.org')::bigint and archive = @archive
returning holder;

-- name: HoldImport :one
-- Prevents others from taking the import over, or removing it, until the transaction ends. It returns nothing if
-- somebody has.
select holder from imports where org_id = current_setting('app.org')::bigint and holder = @holder for share;

-- name: EndImport :exec
delete from imports where org_id = current_setting('app.org')::bigint;

-- name: ImportedIDs :many
select source, id from import_ids where org_id = current_setting('app.org')::bigint and kind = @kind;

-- name: DropImportedIDs :execrows
delete from import_ids d where d.ctid = any (array(
    select i.ctid from import_ids i where i.org_id = current_setting('app.org')::bigint limit @max_rows::int));

-- name: DropImportPortions :execrows
delete from import_portions d where d.ctid = any (array(
    select p.ctid from import_portions p where p.org_id = current_setting('app.org')::bigint limit @max_rows::int));

-- name: NextIDs :many
-- Returns the next ids of a sequence, in ascending order.
select nextval(cast(@of_sequence as text))::bigint as id from generate_series(1, @many::int);

-- name: TakeImportPortion :one
-- Takes the ids for a portion of the messages and records them. It fails if the portion has ids already.
insert into import_portions (portion, messages)
select @portion::int, array(select nextval('message_ids') from generate_series(1, @many::int) order by 1)
returning messages;

-- name: ImportPortions :many
select portion, messages, stored from import_portions where org_id = current_setting('app.org')::bigint order by portion;

-- name: NoteImported :exec
update import_portions set stored = @stored where org_id = current_setting('app.org')::bigint and portion = @portion;

-- name: SetFirstMessage :exec
-- Sets a stream's first message, unless it is set already.
update streams s set first_message_id = (
    select m.message_id from messages m where m.stream_id = s.stream_id order by m.message_id limit 1)
where s.stream_id = @stream_id and s.first_message_id is null;

-- name: SetReadMarks :exec
update users u set read_upto = r.read_upto
from (select unnest(@user_ids::bigint[]) as user_id, unnest(@uptos::bigint[]) as read_upto) r
where u.org_id = current_setting('app.org')::bigint and u.user_id = r.user_id;

-- name: SetBotDefaults :exec
-- Sets the streams that a bot sends to and registers for by default.
update users set default_sending_stream_id = @sending_stream_id, default_register_stream_id = @register_stream_id
where user_id = @user_id;

-- name: MarkWithSubmessages :exec
update messages set flags = flags | @has_submessages::smallint
where org_id = current_setting('app.org')::bigint and message_id = any (@message_ids::bigint[]);

-- name: SetImportedSettings :exec
update organizations set settings = @settings, created_at = @created_at where org_id = current_setting('app.org')::bigint;

-- name: SettleImported :exec
-- Sets the time at which an imported file was uploaded. Later, RemoveUnclaimed finds out whether the file is in a
-- message.
update attachments set created_at = @created_at where attachment_id = @attachment_id;
