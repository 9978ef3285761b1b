-- Searches find naïve, Müller and ёлка by naive, Muller and елка, and the reverse: words with accents are also indexed without them, as
-- pkg/spelling has them, and searched without. They stay in the index as they are written, since without its accent a word may be one
-- that searches ignore: thé would be "the". й is a letter of its own.

-- +goose Up
-- +goose StatementBegin
create or replace function index_words() returns trigger language plpgsql as $$
declare
    words   text := new.topic || ' ' || new.content;
    accents text; -- words with accents
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
    if octet_length(words) <> length(words) then
        accents := (select string_agg(m[1], ' ') from regexp_matches(words, '(\S*[\u00c0-\u024f\u0300-\u036f\u0386-\u0390\u03aa-\u03b0\u03c2\u03ca-\u03ce\u0400\u0401\u0403\u0407\u040c-\u040e\u0450\u0451\u0453\u0457\u045c-\u045e\u0476\u0477\u04c1-\u04f9\u1e00-\u1fff]\S*)', 'g') m);
        if accents is not null then
            accents := normalize(regexp_replace(normalize(accents, nfd), '(?<![иИ])[\u0300-\u036f]', '', 'g'));
            accents := translate(accents, 'øØłŁđĐħĦðÐıς', 'oOlLdDhHdDiσ');
            accents := replace(replace(replace(replace(replace(replace(accents, 'ß', 'ss'), 'ẞ', 'SS'), 'æ', 'ae'), 'Æ', 'AE'), 'œ', 'oe'), 'Œ', 'OE');
            words := words || ' ' || accents;
        end if;
    end if;
    new.search := to_tsvector('english', words);
    return new;
end $$;
-- +goose StatementEnd
