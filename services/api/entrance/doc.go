// Package entrance has the pages behind links in mail, and those to ask for such mail: to reset a password, to confirm an address, and
// to join an organization. They need neither a client nor scripts.
//
// What links do is done by the forms, not by opening them: programs that check mail open links, too.
package entrance
