package limit

import "sync"

// Concurrent limits how much each key, such as an account, does at a time in this process. It is safe for concurrent use.
type Concurrent[K comparable] struct {
	maxPerKey int
	mutex     sync.Mutex
	by        map[K]int
}

// NewConcurrent returns a limit of at most maxPerKey things at a time for each key.
func NewConcurrent[K comparable](maxPerKey int) *Concurrent[K] {
	return &Concurrent[K]{maxPerKey: maxPerKey, by: map[K]int{}}
}

// Enter counts another thing of a key. It reports false, and doesn't count it, if the key has too many.
func (c *Concurrent[K]) Enter(key K) bool {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.by[key] >= c.maxPerKey {
		return false
	}
	c.by[key]++
	return true
}

// Leave ends what Enter has counted. It must be called once for each.
func (c *Concurrent[K]) Leave(key K) {
	c.mutex.Lock()
	defer c.mutex.Unlock()
	if c.by[key]--; c.by[key] == 0 {
		delete(c.by, key)
	}
}
