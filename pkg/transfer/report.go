package transfer

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"sync"
)

// maxExamples is the maximum number of examples for each reason.
const maxExamples = 5

// maxExample is the maximum length of an example in characters.
const maxExample = 200

// Report counts the rows that were transferred, and those that were left out or changed. It is safe for concurrent use.
type Report struct {
	mu       sync.Mutex
	counts   map[string]int
	left     map[string]int
	examples map[string][]string
}

// Leave adds a row that was left out or changed before an import began (see [Plan]).
func (r *Report) Leave(why, example string) { r.leave(why, example) }

// count adds n to the number of rows of a kind.
func (r *Report) count(what string, n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.counts == nil {
		r.counts = map[string]int{}
	}
	r.counts[what] += n
}

// leave adds a row that was left out or changed, with the reason. example identifies the row.
func (r *Report) leave(why, example string) { r.leaveRows(why, 1, example) }

// leaveRows is leave for several rows with one example.
func (r *Report) leaveRows(why string, rows int, example string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.left == nil {
		r.left, r.examples = map[string]int{}, map[string][]string{}
	}
	r.left[why] += rows
	if known := r.examples[why]; len(known) < maxExamples {
		r.examples[why] = append(known, cut(example, maxExample))
	}
}

// Counts returns the numbers of rows that were transferred, by kind.
func (r *Report) Counts() map[string]int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return maps.Clone(r.counts)
}

// Left returns the numbers of rows that were left out or changed, by reason.
func (r *Report) Left() map[string]int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return maps.Clone(r.left)
}

// Print writes the report as text.
func (r *Report) Print(out io.Writer) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, what := range slices.Sorted(maps.Keys(r.counts)) {
		if _, err := fmt.Fprintf(out, "%9d %s\n", r.counts[what], what); err != nil {
			return err
		}
	}
	for _, why := range slices.Sorted(maps.Keys(r.left)) {
		if _, err := fmt.Fprintf(out, "%9d left out or changed: %s, such as %q\n", r.left[why], why, r.examples[why]); err != nil {
			return err
		}
	}
	return nil
}
