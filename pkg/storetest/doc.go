// Package storetest gives tests a migrated database of their own, and a session as superuser that
// sees past row-level security: for what nothing in the product does, and for looking at what it did.
package storetest
