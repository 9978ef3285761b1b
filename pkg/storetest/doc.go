// Package storetest provides tests with a migrated database of their own, and a superuser session that
// sees past row-level security: for what nothing in the product does, and for looking at what it did.
package storetest
