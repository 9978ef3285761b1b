-- Searches find naïve, Müller and ёлка by naive, Muller and елка, and the reverse: words with accents are also indexed without them, as
-- pkg/spelling has them, and searched without. They stay in the index as they are written, since without its accent a word may be one
-- that searches ignore: thé would be "the". й is a letter of its own.

-- +goose Up
-- +goose StatementBegin
create or replace function index_words() returns trigger language plpgsql as $$
declare
    words text := new.topic || ' ' || new.content;
    plain text;
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
    if words ~ '[\u00c0-\u024f\u0300-\u036f\u0386-\u0481\u1e00-\u1fff]' then
        plain := normalize(regexp_replace(normalize(words, nfd), '(?<![иИ])[\u0300-\u036f]', '', 'g'));
        plain := translate(plain, 'øØłŁđĐħĦðÐıς', 'oOlLdDhHdDiσ');
        plain := replace(replace(replace(replace(replace(replace(plain, 'ß', 'ss'), 'ẞ', 'SS'), 'æ', 'ae'), 'Æ', 'AE'), 'œ', 'oe'), 'Œ', 'OE');
        words := words || coalesce((select string_agg(' ' || p, '')
            from unnest(regexp_split_to_array(words, '\s+'), regexp_split_to_array(plain, '\s+')) as u (w, p) where w <> p), '');
    end if;
    new.search := to_tsvector('english', words);
    return new;
end $$;
-- +goose StatementEnd
