// Package emoji knows the unicode emoji of the interface: their code points and their names
// (rest-api.md, section 7.6). The table is emoji.tsv, all of it and nothing else: clients carry the same
// one, and send a name together with its code.
//
// A code is the emoji's code points in lower-case hexadecimal of at least four digits, joined by
// hyphens and without variation selectors, such as "1f642" or "0031-20e3". An emoji has one canonical
// name and may have further ones; a name belongs to one emoji. Codes are never removed from the table,
// because stored reactions hold them.
package emoji
