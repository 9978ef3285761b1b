package transfer

import (
	"context"
	"fmt"
	"reflect"
	"strings"

	"chatserver.dev/pkg/archive"
	"chatserver.dev/pkg/store"
)

// rowsWith is [archive.Rows] for a function with a context.
func rowsWith[R any](ctx context.Context, handle func(ctx context.Context, row R) error) archive.Row {
	return archive.Rows(func(row R) error { return handle(ctx, row) })
}

// idRow is an object's id in the archive (Source) and here (ID).
type idRow struct {
	Kind   string `json:"kind"`
	Source int64  `json:"source"`
	ID     int64  `json:"id"`
}

// table collects rows of a table, and stores them in batches.
type table[R any] struct {
	in      *importing
	name    string
	columns []string
	rows    []R
	ids     []idRow // of the rows of [objects]
}

// newTable returns a table. R is a struct whose JSON names are the columns.
func newTable[R any](m *importing, name string) *table[R] {
	row := reflect.TypeFor[R]()
	columns := make([]string, row.NumField())
	for i := range columns {
		columns[i], _, _ = strings.Cut(row.Field(i).Tag.Get("json"), ",")
	}
	return &table[R]{in: m, name: name, columns: columns}
}

func (t *table[R]) add(ctx context.Context, row R) error {
	if t.rows = append(t.rows, row); len(t.rows) < rowsAtOnce {
		return nil
	}
	return t.flush(ctx)
}

// flush stores the collected rows.
func (t *table[R]) flush(ctx context.Context) error {
	if len(t.rows) == 0 {
		return nil
	}
	err := t.in.write(ctx, func(tx *store.Tx) error {
		if _, err := tx.ImportRows(ctx, t.name, t.columns, t.rows); err != nil {
			return err
		}
		return noteIDs(ctx, tx, t.ids...)
	})
	if err != nil {
		return err
	}
	t.rows, t.ids = t.rows[:0], t.ids[:0]
	return nil
}

// kind is a kind of objects, with their table and the sequence of their ids.
type kind struct{ name, table, sequence string }

// objects is a table whose rows have ids of this server. Each is stored with the object's id in the archive, by which a continued
// import recognizes it.
type objects[T ~int64, R any] struct {
	*table[R]

	kind kind
	made map[int64]T // ids here, by those in the archive
	free []int64     // ids taken from the sequence
}

// newObjects returns a table, and adds what an interrupted import has stored to made.
func newObjects[R any, T ~int64](ctx context.Context, m *importing, of kind, made map[int64]T) (*objects[T, R], error) {
	return &objects[T, R]{table: newTable[R](m, of.table), kind: of, made: made}, known(ctx, m, of.name, made)
}

// id returns an object's id here, and reports whether the object has been imported already.
func (o *objects[T, R]) id(ctx context.Context, source int64) (number T, done bool, err error) {
	if number, done = o.made[source]; done {
		return number, true, nil
	}
	if len(o.free) == 0 {
		err := o.in.write(ctx, func(tx *store.Tx) (err error) {
			o.free, err = tx.NextIDs(ctx, o.kind.sequence, rowsAtOnce)
			return err
		})
		if err != nil {
			return 0, false, fmt.Errorf("take ids: %w", err)
		}
	}
	number, o.free = T(o.free[0]), o.free[1:]
	o.made[source] = number
	return number, false, nil
}

// add adds the row of an object that has got its id.
func (o *objects[T, R]) add(ctx context.Context, source int64, row R) error {
	o.ids = append(o.ids, idRow{o.kind.name, source, int64(o.made[source])})
	return o.table.add(ctx, row)
}

func noteIDs(ctx context.Context, tx *store.Tx, ids ...idRow) error {
	if len(ids) == 0 {
		return nil
	}
	_, err := tx.ImportRows(ctx, "import_ids", []string{"kind", "source", "id"}, ids)
	return err
}

// known reads the ids of a kind that an interrupted import has stored.
func known[T ~int64](ctx context.Context, m *importing, kind string, into map[int64]T) error {
	return m.DB.Read(ctx, m.org.ID, func(tx *store.Tx) error {
		rows, err := tx.ImportedIDs(ctx, kind)
		for _, row := range rows {
			into[row.Source] = T(row.ID)
		}
		return err
	})
}
