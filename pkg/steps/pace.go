package steps

import "time"

// aim is the intended time for which a transaction of a large change holds up events, from its first write to its
// end.
const aim = 8 * time.Millisecond

// Pace decides how many rows the next transaction of a change writes, from the duration of the last one. Each change
// has its own pace, because the cost of a row depends on the size of a stream and on the load of the server. It is
// not safe for concurrent use.
type Pace struct {
	now     func() time.Time
	minRows int
	maxRows int
	rows    int
	writing int
	began   time.Time
}

// NewPace makes a pace that begins with least rows. Its rows are always from least through most.
func NewPace(minRows, maxRows int, now func() time.Time) *Pace {
	return &Pace{now: now, minRows: minRows, maxRows: maxRows, rows: minRows}
}

// Rows returns the number of rows for the next transaction.
func (p *Pace) Rows() int { return p.rows }

// Begin records that a transaction has read everything and is about to write this number of rows. When a transaction
// is retried, it calls Begin again.
func (p *Pace) Begin(rows int) { p.writing, p.began = rows, p.now() }

// End records that the transaction has ended. It ignores a transaction that hasn't called Begin.
func (p *Pace) End() {
	if p.writing == 0 {
		return
	}
	fit := p.maxRows
	if took := p.now().Sub(p.began); took > 0 {
		fit = int(int64(p.writing) * int64(aim) / int64(took)) // thousands of rows, in less than hours
	}
	p.rows = max(p.minRows, min(fit, 2*p.rows, p.maxRows)) // at most doubled, in case the last transaction was fast by chance
	p.writing = 0
}
