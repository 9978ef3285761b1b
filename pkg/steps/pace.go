package steps

import "time"

// aim is how long a transaction of a large change holds up events, about: from its first write to its end.
const aim = 8 * time.Millisecond

// Pace decides how many rows the next transaction of a change writes, from how long the last one took. Each change
// has its own pace: what a row costs depends on how many people a stream has, and on how busy the server is. It is
// not safe for concurrent use.
type Pace struct {
	now     func() time.Time
	least   int
	most    int
	rows    int
	writing int
	began   time.Time
}

// NewPace makes a pace that begins with the least number of rows. It never asks for fewer, nor for more than most.
func NewPace(least, most int, now func() time.Time) *Pace {
	return &Pace{now: now, least: least, most: most, rows: least}
}

// Rows is how many rows the next transaction is to write.
func (p *Pace) Rows() int { return p.rows }

// Begin notes that a transaction has read everything and is about to write some rows. One that is repeated begins again.
func (p *Pace) Begin(rows int) { p.writing, p.began = rows, p.now() }

// End notes that the transaction has ended. One that wrote nothing doesn't count.
func (p *Pace) End() {
	if p.writing == 0 {
		return
	}
	fit := p.most
	if took := p.now().Sub(p.began); took > 0 {
		fit = int(int64(p.writing) * int64(aim) / int64(took)) // thousands of rows, in less than hours
	}
	p.rows = max(p.least, min(fit, 2*p.rows, p.most)) // one that was quick by chance isn't followed by a long one
	p.writing = 0
}
