package approval

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/gofrs/flock"

	"patchbay/backend/fsx"
)

// Grant is one kept permission, as the file holds it.
type Grant struct {
	Server  string `json:"server,omitempty"` // "" for a built-in tool
	Tool    string `json:"tool"`
	Command string `json:"command,omitempty"` // of bash
	Key     string `json:"key"`               // a hash over what is covered
	AtMs    int64  `json:"atMs"`
}

// grantFile keeps workspace grants by canonical folder, in the state folder and never in a
// repository. It is read at every question, so that another window's grants count.
type grantFile struct {
	path  string
	locks string
}

type grantsByWorkspace struct {
	Workspaces map[string][]Grant `json:"workspaces"`
}

const lockWait = 10 * time.Second

// has reports whether a grant covers the key. A file that cannot be read grants nothing.
func (g *grantFile) has(workspace, key string) bool {
	all, err := g.read()
	if err != nil {
		return false
	}
	return all.covers(workspace, key)
}

func (all grantsByWorkspace) covers(workspace, key string) bool {
	return slices.ContainsFunc(all.Workspaces[workspace], func(g Grant) bool { return g.Key == key })
}

func (g *grantFile) read() (grantsByWorkspace, error) {
	all := grantsByWorkspace{Workspaces: map[string][]Grant{}}
	data, err := os.ReadFile(g.path)
	if errors.Is(err, fs.ErrNotExist) {
		return all, nil
	}
	if err != nil {
		return all, fmt.Errorf("read the grants: %w", err) // names the file
	}
	if err := json.Unmarshal(data, &all); err != nil {
		return all, fmt.Errorf("read the grants in %s: %w. Correct the file or remove it, which revokes its grants", g.path, err)
	}
	if all.Workspaces == nil {
		all.Workspaces = map[string][]Grant{}
	}
	return all, nil
}

// add keeps a grant under the lock that every Patchbay process takes. A file that cannot be
// read is never overwritten.
func (g *grantFile) add(workspace string, q Question) error {
	unlock, err := g.lock()
	if err != nil {
		return err
	}
	defer unlock()
	all, err := g.read()
	if err != nil {
		return err
	}
	key := grantKey(q)
	if all.covers(workspace, key) {
		return nil // another window was first
	}
	call, _ := q.bash()
	all.Workspaces[workspace] = append(all.Workspaces[workspace], Grant{
		Server: q.Spec.Server, Tool: q.Spec.Name, Command: call.Command, Key: key, AtMs: time.Now().UnixMilli(),
	})
	data, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		return fmt.Errorf("encode the grants: %w", err)
	}
	if err := fsx.WriteAtomic(g.path, append(data, '\n'), 0o600); err != nil {
		return fmt.Errorf("write the grants: %w", err)
	}
	return nil
}

func (g *grantFile) lock() (unlock func(), err error) {
	if g.path == "" {
		return nil, errors.New("there is no file to keep grants in")
	}
	for _, dir := range []string{g.locks, filepath.Dir(g.path)} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return nil, fmt.Errorf("create the folder of grants: %w", err)
		}
	}
	lock := flock.New(filepath.Join(g.locks, "grants.lock"))
	ctx, cancel := context.WithTimeout(context.Background(), lockWait)
	defer cancel()
	if _, err := lock.TryLockContext(ctx, 10*time.Millisecond); err != nil {
		return nil, fmt.Errorf("lock the grants: %w", err)
	}
	return func() { _ = lock.Close() }, nil
}
