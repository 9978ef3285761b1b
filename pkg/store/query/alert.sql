-- name: AlertWordsOf :many
select word from alert_words where user_id = @user_id order by word_key;

-- name: AddAlertWords :execrows
-- Adds words in the order of the list. Of words that differ only in letter case, the account keeps the first.
insert into alert_words (user_id, word)
select @user_id, w.word from unnest(@words::text[]) with ordinality w (word, place) order by w.place
on conflict do nothing;

-- name: RemoveAlertWords :execrows
delete from alert_words where user_id = @user_id and word_key in (select lower(w) from unnest(@words::text[]) w);

-- name: AllAlertWords :many
select user_id, word from alert_words where org_id = current_setting('app.org')::bigint;
