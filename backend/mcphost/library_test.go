package mcphost

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"patchbay/backend/mcpconn"
	"patchbay/backend/tool"
)

// fakeLibrary lists one resource and reads nothing until its context ends.
type fakeLibrary struct {
	mcpconn.Library // nil: the rest is not asked here

	mu       sync.Mutex
	followed []string
}

func (f *fakeLibrary) Resources(context.Context) ([]mcpconn.Resource, error) {
	return []mcpconn.Resource{{URI: "a:1"}}, nil
}

func (f *fakeLibrary) Prompts(context.Context) ([]mcpconn.Prompt, error) { return nil, nil }

func (f *fakeLibrary) ReadResource(ctx context.Context, uri string) ([]tool.Content, error) {
	if uri == "a:hangs" {
		<-ctx.Done()
		return nil, context.Cause(ctx)
	}
	return []tool.Content{{Kind: tool.Resource, Text: "read"}}, nil
}

func (f *fakeLibrary) Subscribe(_ context.Context, uri string, on bool) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if on {
		f.followed = append(f.followed, uri)
	}
	return nil
}

func (f *fakeLibrary) follows(uri string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Contains(f.followed, uri)
}

// shelved serves with a library of its own for each connection.
func shelved(libraries *[]*fakeLibrary) script {
	return func(ctx context.Context, n int, obs mcpconn.Observer) (*fakeConn, error) {
		c, err := serves(0, "echo")(ctx, n, obs)
		if err == nil {
			made := &fakeLibrary{}
			*libraries = append(*libraries, made)
			c.Library = made
		}
		return c, err
	}
}

// shelf is a session with a connected server s and its library.
func shelf(t *testing.T, r *rig, made *[]*fakeLibrary) (*Runtime, Library) {
	t.Helper()
	r.dialer.scripts["s"] = shelved(made)
	rt := r.session("a")
	settle(t, rt, plan(wanted("s")))
	b, err := rt.Library("s")
	if err != nil {
		t.Fatal(err)
	}
	return rt, b
}

func TestALibraryIsCountedAndItsChangesAreTold(t *testing.T) {
	inBubble(t, HostOptions{}, func(t *testing.T, r *rig) {
		var made []*fakeLibrary
		r.dialer.scripts["s"] = shelved(&made)
		rt := r.session("a")
		if _, err := rt.Library("s"); !errors.Is(err, ErrNotConnected) {
			t.Errorf("before it is there: %v", err)
		}
		snap := settle(t, rt, plan(wanted("s")))
		if got := row(t, snap, "s").Library; got.Resources != -1 || got.Prompts != -1 {
			t.Errorf("before a list: %+v", got)
		}
		b, err := rt.Library("s")
		if err != nil {
			t.Fatal(err)
		}
		if list, err := b.Resources(t.Context()); err != nil || len(list) != 1 {
			t.Fatalf("resources %v, %v", list, err)
		}
		if _, err := b.Prompts(t.Context()); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		first := row(t, settled(t, rt), "s").Library
		if first.Resources != 1 || first.Prompts != 0 {
			t.Errorf("after the lists: %+v", first)
		}
		rev := func() uint64 {
			time.Sleep(time.Second)
			return row(t, settled(t, rt), "s").Library.Rev
		}
		last := rev()
		for what, change := range map[string]func(){
			"resources":  func() { r.dialer.last("s").obs.ResourcesChanged() },
			"prompts":    func() { r.dialer.last("s").obs.PromptsChanged() },
			"a resource": func() { r.dialer.last("s").obs.ResourceUpdated("a:1") },
		} {
			change()
			if next := rev(); next <= last {
				t.Errorf("%s changed and the revision stays %d", what, next)
			} else {
				last = next
			}
		}
		if _, changed := b.Followed(); !slices.Equal(changed, []string{"a:1"}) {
			t.Errorf("changed %v", changed)
		}
		if _, err := b.Read(t.Context(), "a:1"); err != nil {
			t.Fatal(err)
		}
		if _, changed := b.Followed(); len(changed) != 0 {
			t.Errorf("changed after it was read: %v", changed)
		}
	})
}

func TestSubscriptionsOutliveTheConnection(t *testing.T) {
	inBubble(t, HostOptions{}, func(t *testing.T, r *rig) {
		var made []*fakeLibrary
		rt, b := shelf(t, r, &made)
		for _, uri := range []string{"a:1", "a:2"} {
			if err := b.Subscribe(t.Context(), uri, true); err != nil {
				t.Fatal(err)
			}
		}
		if err := b.Subscribe(t.Context(), "a:2", false); err != nil {
			t.Fatal(err)
		}
		r.dialer.last("s").die(mcpconn.Lost, "it fell")
		time.Sleep(10 * time.Second)
		synctest.Wait()
		if len(made) != 2 || !made[1].follows("a:1") || made[1].follows("a:2") {
			t.Errorf("%d connections, the last follows %v", len(made), made[len(made)-1].followed)
		}
		b, err := rt.Library("s")
		if err != nil {
			t.Fatal(err)
		}
		if uris, changed := b.Followed(); !slices.Equal(uris, []string{"a:1"}) || !slices.Equal(changed, []string{"a:1"}) {
			t.Errorf("followed %v, changed %v", uris, changed)
		}
	})
}

func TestALibraryEndsWithThePresence(t *testing.T) {
	for name, c := range map[string]struct {
		end  func(r *rig, rt *Runtime)
		want string
	}{
		"paused": {func(_ *rig, rt *Runtime) { rt.Apply(plan(with(wanted("s"), "s", pausedServer))) }, "MCP server s: paused in this session"},
		"lost":   {func(r *rig, _ *Runtime) { r.dialer.last("s").die(mcpconn.Lost, "it fell") }, "MCP server s: connection lost: it fell"},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, HostOptions{}, func(t *testing.T, r *rig) {
				var made []*fakeLibrary
				rt, b := shelf(t, r, &made)
				ended := make(chan error, 1)
				go func() {
					_, err := b.Read(context.Background(), "a:hangs")
					ended <- err
				}()
				synctest.Wait()
				c.end(r, rt)
				if err := <-ended; err == nil || err.Error() != c.want {
					t.Errorf("in flight: %v", err)
				}
				if _, err := b.Resources(t.Context()); err == nil || err.Error() != c.want {
					t.Errorf("afterwards: %v", err)
				}
			})
		})
	}
}
