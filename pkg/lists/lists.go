// Package lists converts lists to other lists and to maps. It complements package slices.
package lists

// Map returns the results of f for the items, in their order. It never returns nil.
func Map[T, R any](from []T, f func(T) R) []R {
	to := make([]R, len(from))
	for i, item := range from {
		to[i] = f(item)
	}
	return to
}

// Index returns the items by their keys. If several items have the same key, it returns the last of them.
func Index[T any, K comparable](from []T, key func(T) K) map[K]T {
	to := make(map[K]T, len(from))
	for _, item := range from {
		to[key(item)] = item
	}
	return to
}

// Set returns the set of the items.
func Set[T comparable](from []T) map[T]bool {
	to := make(map[T]bool, len(from))
	for _, item := range from {
		to[item] = true
	}
	return to
}
