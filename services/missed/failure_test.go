package missed_test

import (
	"testing"

	"chatserver.dev/pkg/actor"
	"chatserver.dev/pkg/storetest"
)

// If somebody can't be mailed, others are. It is tried again later.
func TestOneFailure(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	eve := w.Person("Eve", actor.Member)
	w.private(w.ann, "first", w.bob)
	w.private(w.ann, "second", eve)
	w.find()
	w.sql.Exec("update missed_mails set due_at = now() - interval '1 minute' + user_id * interval '1 millisecond'")
	w.sql.Exec(`update users set settings = '{"color_scheme": "none"}' where user_id = $1`, w.bob.ID)
	if err := w.Missed.Notify(t.Context()); err == nil {
		t.Error("nothing failed")
	}
	if letters := w.Letters(); len(letters) != 1 || letters[0].To != eve.RealEmail {
		t.Errorf("%+v", letters)
	}
	if err := w.Missed.Notify(t.Context()); err != nil {
		t.Errorf("tried again at once: %v", err)
	}
	w.sql.Exec("update users set settings = '{}' where user_id = $1", w.bob.ID)
	w.sql.Exec("update missed_mails set due_at = due_at - interval '10 minutes'")
	same(t, "the late mail", []string{"first"}, said(w.letter()))
}

// If recording messages fails once, it is tried again at once.
func TestFailureWhileFinding(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.sql.Exec("create sequence attempts")
	w.sql.Exec(`create function fail_once() returns trigger language plpgsql security definer set search_path from current as $$
		begin
			if nextval('attempts') = 1 then
				raise exception 'broken';
			end if;
			return new;
		end $$`)
	w.sql.Exec("create trigger fail_once before insert on missed_mails for each row execute function fail_once()")
	w.private(w.ann, "hello", w.bob)
	w.letter()
	same(t, "attempts", []int64{2}, storetest.Values[int64](w.sql, "select last_value from attempts"))
}

// If the settings of somebody can't be read, others are mailed nevertheless.
func TestUnreadableSettings(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	eve := w.Person("Eve", actor.Member)
	eve.Subscribe("hall")
	w.ann.SendStream("hall", "topic", "@**all** hello")
	w.sql.Exec(`update users set settings = '{"color_scheme": "none"}' where user_id = $1`, w.bob.ID)
	w.find()
	w.sql.Exec("update users set settings = '{}' where user_id = $1", w.bob.ID)
	same(t, "to", eve.RealEmail, w.letter().To)
}
