// Package isolation has only tests. They check that no data of an organization can be read or changed from another one, and
// who may change what within one.
package isolation
