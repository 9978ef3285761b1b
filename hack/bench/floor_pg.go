//go:build linux

package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// pgFloor is pgbench with one transaction, which inserts the two rows of a message.
type pgFloor struct {
	b       *bench
	scripts []string // files, one for each text
}

// pgRun is the result of a run of pgbench.
type pgRun struct {
	perSecond float64
	latencies []time.Duration
	cpu       time.Duration // of PostgreSQL, per transaction
}

// newPgFloor copies the two tables and writes the scripts. The rows have the same columns, texts and payload as the
// server's, and their words are indexed, too.
func newPgFloor(ctx context.Context, b *bench) (*pgFloor, error) {
	for _, sql := range []string{
		"drop table if exists floor_messages, floor_log",
		"create table floor_messages (like messages including all)",
		"create trigger floor_words before insert on floor_messages for each row execute function index_words()",
		"create table floor_log (like event_log including all)",
	} {
		if _, err := b.db.Exec(ctx, sql); err != nil {
			return nil, fmt.Errorf("create the floor's tables: %w", err)
		}
	}
	f := &pgFloor{b: b}
	for i, text := range b.texts {
		payload, err := recorded(roomOwner(0), b.org.rooms[0], "room 0", text)
		if err != nil {
			return nil, err
		}
		payload = `{"type":"message","message":{"id":1234567,"timestamp":1234567890,` + payload
		script := fmt.Sprintf(`\set room random(0, %d)
begin;
insert into floor_messages (org_id, sender_id, stream_id, topic, content, rendered, renderer, client, flags)
 values (%d, 1 + :room * %d, %d + :room, '%s', '%s', '<p>%s</p>', 1, 'bench', 0);
insert into floor_log (shard, org_id, type, payload, audience)
 values (%d, %d, 'message', E'%s', E'%s');
commit;
`, rooms-1, b.org.id, members, b.org.rooms[0], topic, text, text, b.org.shard, b.org.id, quoted(payload), quoted(fmt.Sprintf(`{"subscribers":%d,"public":true}`, b.org.rooms[0])))
		file := filepath.Join(b.dir, fmt.Sprintf("floor-%d.sql", i))
		if err := os.WriteFile(file, []byte(script), 0o600); err != nil {
			return nil, err
		}
		f.scripts = append(f.scripts, file)
	}
	return f, nil
}

// quoted returns a text as the content of an E'…' literal in a script. pgbench treats a colon as the beginning of a
// variable's name even in literals.
func quoted(text string) string {
	return strings.NewReplacer(`\`, `\\`, `'`, `\'`, `:`, `\x3a`).Replace(text)
}

// run runs pgbench for d, in whole seconds.
func (f *pgFloor) run(ctx context.Context, clients int, d time.Duration) (*pgRun, error) {
	prefix := filepath.Join(f.b.dir, fmt.Sprintf("pgbench-%d", time.Now().UnixNano()))
	args := []string{
		"-n", "-M", "prepared", "-h", f.b.postgres.SocketDir(), "-p", "5432", "-U", "postgres",
		"-c", strconv.Itoa(clients), "-j", strconv.Itoa(min(clients, 2)), "-T", strconv.Itoa(max(1, int(d.Seconds()))),
		"-l", "--log-prefix=" + prefix,
	}
	for _, script := range f.scripts {
		args = append(args, "-f", script)
	}
	cmd := exec.CommandContext(ctx, filepath.Join(f.b.postgres.BinDir(), "pgbench"), append(args, "postgres")...)
	cmd.Dir = f.b.dir
	busy, err := spend(ctx, []int{f.b.postgres.PID()}, func() error {
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("pgbench: %w: %s", err, out)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	logs, err := filepath.Glob(prefix + "*")
	if err != nil {
		return nil, err
	}
	run := &pgRun{}
	var first, last time.Time
	for _, name := range logs {
		if err := run.readLog(name, &first, &last); err != nil {
			return nil, err
		}
	}
	if len(run.latencies) < 2 {
		return nil, errors.New("pgbench did nothing")
	}
	run.perSecond = float64(len(run.latencies)) / last.Sub(first).Seconds()
	run.cpu = busy.total() / time.Duration(len(run.latencies))
	return run, nil
}

// readLog adds the transactions of one of pgbench's logs, and removes the log.
func (r *pgRun) readLog(name string, first, last *time.Time) error {
	file, err := os.Open(name)
	if err != nil {
		return err
	}
	defer file.Close() //nolint:errcheck // nothing is written
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		latency, ended, err := parseTransaction(lines.Text())
		if err != nil {
			return err
		}
		r.latencies = append(r.latencies, latency)
		if start := ended.Add(-latency); first.IsZero() || start.Before(*first) {
			*first = start
		}
		if ended.After(*last) {
			*last = ended
		}
	}
	if err := lines.Err(); err != nil {
		return err
	}
	return os.Remove(name)
}

// parseTransaction reads a line of pgbench's log: client, number, microseconds, script, and when it
// ended in seconds and microseconds.
func parseTransaction(line string) (latency time.Duration, ended time.Time, err error) {
	var client, number, script int
	var micros, seconds, fraction int64
	if _, err := fmt.Sscan(line, &client, &number, &micros, &script, &seconds, &fraction); err != nil {
		return 0, ended, fmt.Errorf("parse %q in pgbench's log: %w", line, err)
	}
	return time.Duration(micros) * time.Microsecond, time.Unix(seconds, fraction*1000), nil
}
