// Package policy implements what the administrators of an organization decide for it (rest-api.md, sections 5.4 and 8.1): its name and
// description, its settings, and its end. Package org has the settings themselves, and what concerns nothing else.
package policy
