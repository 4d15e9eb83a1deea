package proc

import (
	"cmp"
	"context"
	"slices"
	"time"
)

// Info is what the system tells of one process at one moment.
type Info struct {
	PID     int
	Parent  int
	Group   int      // process group, 0 on Windows
	Command []string // program and arguments as they were given, secrets included; nil when hidden
	Name    string   // short name of the program, for those that hide their command
	Memory  int64    // bytes; what Shared says of them
	Shared  bool     // Memory counts pages shared with other processes in full (RSS), not by share (PSS)
	CPU     time.Duration
	Started time.Time // zero when unknown
	Zombie  bool      // ended and not yet reaped: it holds nothing

	Depth  int  // below the root of a Tree, 0 for the root
	Orphan bool // of the root's group, though the process that started it is gone
}

// Tree lists the process root and all it started, parents before children and children by
// age: its descendants, and members of its process group whose parents are gone. It is
// empty when none of them lives. It takes no longer than two seconds or ctx.
func Tree(ctx context.Context, root int) ([]Info, error) {
	ctx, cancel := context.WithTimeout(ctx, treeLimit)
	defer cancel()
	all, err := snapshot(ctx)
	if err != nil {
		return nil, err
	}
	tree := grow(all, root)
	for i := range tree {
		measure(ctx, &tree[i])
	}
	return tree, nil
}

// treeLimit bounds one look at the processes.
const treeLimit = 2 * time.Second

// grow picks from all processes those that belong to root. Numbers come round again, so
// that a child is one only when it is not older than its parent.
func grow(all []Info, root int) []Info {
	children := map[int][]Info{}
	var tree, orphans []Info
	for _, p := range all {
		children[p.Parent] = append(children[p.Parent], p)
	}
	seen := map[int]bool{}
	var add func(p Info, depth int)
	add = func(p Info, depth int) {
		if seen[p.PID] {
			return
		}
		seen[p.PID] = true
		p.Depth = depth
		tree = append(tree, p)
		below := children[p.PID]
		slices.SortFunc(below, byAge)
		for _, child := range below {
			if child.Started.IsZero() || p.Started.IsZero() || !child.Started.Before(p.Started) {
				add(child, depth+1)
			}
		}
	}
	for _, p := range all {
		if p.PID == root {
			add(p, 0)
		}
	}
	for _, p := range all {
		if p.Group == root && p.Group > 0 && !seen[p.PID] {
			p.Orphan = true
			orphans = append(orphans, p)
		}
	}
	slices.SortFunc(orphans, byAge)
	for _, p := range orphans {
		add(p, 1)
	}
	return tree
}

func byAge(a, b Info) int {
	return cmp.Or(a.Started.Compare(b.Started), cmp.Compare(a.PID, b.PID))
}
