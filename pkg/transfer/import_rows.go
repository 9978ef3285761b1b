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
	kind    string // of ids that are stored, too; empty: none are
	columns []string
	rows    []R
	ids     []idRow
}

// newTable returns a table. R is a struct whose JSON names are the columns.
func newTable[R any](m *importing, name, kind string) *table[R] {
	row := reflect.TypeFor[R]()
	columns := make([]string, row.NumField())
	for i := range columns {
		columns[i], _, _ = strings.Cut(row.Field(i).Tag.Get("json"), ",")
	}
	return &table[R]{in: m, name: name, kind: kind, columns: columns}
}

// add adds a row. source is its id in the archive, and made its id here.
func (t *table[R]) add(ctx context.Context, source, made int64, row R) error {
	t.rows = append(t.rows, row)
	if t.kind != "" {
		t.ids = append(t.ids, idRow{t.kind, source, made})
	}
	if len(t.rows) < rowsAtOnce {
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

// numbers takes new ids from a sequence, in batches of rowsAtOnce.
type numbers struct {
	in       *importing
	sequence string
	left     []int64
}

func (n *numbers) next(ctx context.Context) (int64, error) {
	if len(n.left) == 0 {
		err := n.in.write(ctx, func(tx *store.Tx) (err error) {
			n.left, err = tx.NextIDs(ctx, n.sequence, rowsAtOnce)
			return err
		})
		if err != nil {
			return 0, fmt.Errorf("take ids: %w", err)
		}
	}
	number := n.left[0]
	n.left = n.left[1:]
	return number, nil
}
