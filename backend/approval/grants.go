package approval

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
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

func keySum(key string) string {
	sum := sha256.Sum256([]byte(key))
	return hex.EncodeToString(sum[:])
}

// has reports whether a grant covers the key. A file that cannot be read grants nothing.
func (g *grantFile) has(workspace, key string) bool {
	all, err := g.read()
	if err != nil {
		return false
	}
	sum := keySum(key)
	for _, grant := range all.Workspaces[workspace] {
		if grant.Key == sum {
			return true
		}
	}
	return false
}

func (g *grantFile) read() (grantsByWorkspace, error) {
	all := grantsByWorkspace{Workspaces: map[string][]Grant{}}
	data, err := os.ReadFile(g.path)
	if errors.Is(err, fs.ErrNotExist) {
		return all, nil
	}
	if err != nil {
		return all, fmt.Errorf("read %s: %w", g.path, err)
	}
	if err := json.Unmarshal(data, &all); err != nil {
		return all, fmt.Errorf("read %s: %w. Correct or remove the file", g.path, err)
	}
	if all.Workspaces == nil {
		all.Workspaces = map[string][]Grant{}
	}
	return all, nil
}

// add keeps a grant under the lock that every Patchbay process takes.
func (g *grantFile) add(workspace string, q Question) error {
	for _, dir := range []string{g.locks, filepath.Dir(g.path)} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return fmt.Errorf("create the folder of grants: %w", err)
		}
	}
	lock := flock.New(filepath.Join(g.locks, "grants.lock"))
	ctx, cancel := context.WithTimeout(context.Background(), lockWait)
	defer cancel()
	if _, err := lock.TryLockContext(ctx, 10*time.Millisecond); err != nil {
		return fmt.Errorf("lock the grants: %w", err)
	}
	defer lock.Close()
	all, err := g.read()
	if err != nil {
		return err
	}
	call, _ := q.bash()
	all.Workspaces[workspace] = append(all.Workspaces[workspace], Grant{
		Server: q.Spec.Server, Tool: q.Spec.Name, Command: call.Command, Key: keySum(grantKey(q)), AtMs: time.Now().UnixMilli(),
	})
	data, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		return fmt.Errorf("encode the grants: %w", err)
	}
	if err := fsx.WriteAtomic(g.path, append(data, '\n'), 0o600); err != nil {
		return fmt.Errorf("write %s: %w", g.path, err)
	}
	return nil
}
