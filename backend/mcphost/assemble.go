package mcphost

import (
	"slices"
	"time"

	"patchbay/backend/mcpconf"
	"patchbay/backend/tool"
)

// burst is how many snapshots may be published in any one second; gap is the least time
// between two that are not the end of a pass, so that the end finds room.
const (
	burst = 10
	gap   = 125 * time.Millisecond
)

// assemble works out claims, rows and the tool table from what is connected now, and makes
// them current in one step.
func (rt *Runtime) assemble() {
	lp := &rt.loop
	states, verdicts := rt.claims()
	a := &assembly{servers: make(map[string]known, len(lp.servers))}
	settled := true
	var entries []tool.Entry
	for i, s := range lp.servers {
		row := rt.row(s, states[i], verdicts[i])
		a.snapshot.Rows = append(a.snapshot.Rows, row)
		settled = settled && row.State != Busy && s.expand == nil && !states[i].again
		if s.link != nil {
			a.links = append(a.links, s.link)
		}
		a.servers[s.res.Name] = s.known(verdicts[i])
		if row.State == Connected {
			entries = append(entries, s.view.offer(s.list)...)
		} else if s.view != nil {
			s.view.withdraw()
		}
	}
	a.table = lp.table
	if !sameEntries(lp.table, entries) {
		a.table = tool.NewTable(entries...)
		rt.beginPass()
	}
	lp.table = a.table
	rt.endPass(settled)
	a.snapshot.Settled, a.snapshot.Rebuild, a.snapshot.At = settled, lp.rebuild, time.Now()
	if before := rt.current.Load(); !sameSnapshot(before.snapshot, a.snapshot) {
		lp.dirty = true
	}
	rt.current.Store(a)
}

// claims asks for the names of every server that is settled, in table order. One that is on
// its way back keeps what it had; one that still starts has none yet.
func (rt *Runtime) claims() ([]linkState, []verdict) {
	servers := rt.loop.servers
	states := make([]linkState, len(servers))
	var candidates []candidate
	var owner []int
	var first []*server // those whose connection is new
	for i, s := range servers {
		if s.res.State != mcpconf.Wanted || s.link == nil {
			continue
		}
		states[i] = s.link.snapshot()
		s.present(rt.opts.Session, states[i], rt.host.opts.Timing.callLimits)
		began := time.Now()
		list := s.listOf(states[i])
		if s.checks.gen != states[i].gen && states[i].phase == up {
			s.checks = checks{gen: states[i].gen, validate: time.Since(began)}
			first = append(first, s)
		}
		if list != nil {
			candidates = append(candidates, candidate{server: s.res.Name, names: list.names})
			owner = append(owner, i)
		}
	}
	verdicts := make([]verdict, len(servers))
	began := time.Now()
	for n, v := range claim(rt.host.opts.Reserved, rt.taken(), candidates) {
		verdicts[owner[n]] = v
	}
	for _, s := range first {
		s.checks.claim = time.Since(began)
	}
	return states, verdicts
}

// endPass notes what a pass changed, when no attempt runs any more.
func (rt *Runtime) endPass(settled bool) {
	lp := &rt.loop
	if !settled {
		rt.beginPass()
		return
	}
	if lp.passBegan.IsZero() {
		return
	}
	lp.rebuild = difference(lp.base, lp.table)
	lp.rebuild.At = time.Now()
	lp.rebuild.Took = lp.rebuild.At.Sub(lp.passBegan)
	lp.base, lp.passBegan = lp.table, time.Time{}
}

// sameEntries reports whether table holds exactly these entries. Entries of one stretch of
// presence share their Withdrawn channel; a changed list changes a hash or a name.
func sameEntries(table *tool.Table, entries []tool.Entry) bool {
	if table.Len() != len(entries) {
		return false
	}
	for i, spec := range table.Specs() {
		e := entries[i]
		had, _ := table.Lookup(spec.Name)
		if spec.Name != e.Name || spec.Hash != e.Hash || had.Withdrawn != e.Withdrawn ||
			spec.Title != e.Title || had.Parallel != e.Parallel {
			return false
		}
	}
	return true
}

// difference says what became of the tool surface, in table order.
func difference(before, after *tool.Table) *Surface {
	s := &Surface{}
	for _, spec := range after.Specs() {
		switch had, ok := before.Lookup(spec.Name); {
		case !ok:
			s.Added = append(s.Added, spec.Name)
		case had.Hash != spec.Hash || had.Server != spec.Server:
			s.Changed = append(s.Changed, spec.Name)
		}
	}
	for _, spec := range before.Specs() {
		if _, ok := after.Lookup(spec.Name); !ok {
			s.Removed = append(s.Removed, spec.Name)
		}
	}
	return s
}

// publish hands the current snapshot to readers, if it is new and its turn has come.
func (rt *Runtime) publish() {
	lp := &rt.loop
	snapshot := rt.current.Load().snapshot
	if lp.dirty && rt.publishIn() <= 0 {
		rt.snap.Set(snapshot)
		lp.dirty = false
		lp.published = append(lp.published, time.Now())
		if over := len(lp.published) - burst; over > 0 {
			lp.published = slices.Delete(lp.published, 0, over)
		}
	}
	next := progress{applied: lp.applied, settled: snapshot.Settled && !lp.dirty}
	if now, _ := rt.progress.Get(); now != next {
		rt.progress.Set(next)
	}
}

// publishIn is how long the current snapshot has to wait: never ten in less than a second,
// and the end of a pass goes before what happens within one.
func (rt *Runtime) publishIn() time.Duration {
	lp := &rt.loop
	n := len(lp.published)
	if n == 0 {
		return 0
	}
	var wait time.Duration
	if n == burst {
		wait = time.Until(lp.published[0].Add(time.Second))
	}
	if !rt.current.Load().snapshot.Settled {
		wait = max(wait, time.Until(lp.published[n-1].Add(gap)))
	}
	return wait
}

func (rt *Runtime) publishTimer() (due <-chan time.Time, stop func()) {
	if !rt.loop.dirty {
		return nil, func() {}
	}
	timer := time.NewTimer(max(rt.publishIn(), 0))
	return timer.C, func() { timer.Stop() }
}
