// Package storetest provides tests with a migrated database each, and a superuser session that bypasses row-level
// security, for changes that the product can't make and for inspecting the results.
package storetest
