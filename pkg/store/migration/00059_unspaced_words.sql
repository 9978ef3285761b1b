-- Searches find parts of texts in scripts that put no blanks between words, such as Chinese, Japanese and Thai: each of their letters is
-- indexed as a word, and a search must also find them side by side. They find 1.2.3 in v1.2.3, and 123 in ABC-123, which PostgreSQL
-- takes for ABC and minus 123. pkg/narrow/words.go divides the text of a search in the same way.

-- +goose Up
-- +goose StatementBegin
create or replace function index_words() returns trigger language plpgsql as $$
declare
    words text := new.topic || ' ' || new.content;
begin
    if octet_length(words) <> length(words) then
        words := regexp_replace(normalize(words),
            '([\u0e00-\u0fff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3041-\u30fa\u30fc-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff66-\uff9f\U00020000-\U0003ffff])',
            ' \1 ', 'g');
    end if;
    words := regexp_replace(words, '(?<![0-9])[./@]|[./@](?![0-9])|[<>]', ' ', 'g');
    if words ~ '[A-Za-z]-?[0-9]' then
        words := regexp_replace(words, '([A-Za-z])(?:-([0-9])|([0-9]+\.[0-9]))', '\1 \2\3', 'g');
    end if;
    new.search := to_tsvector('english', words);
    return new;
end $$;
-- +goose StatementEnd
