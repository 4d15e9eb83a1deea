package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	goruntime "runtime"
	"strconv"
	"time"

	"github.com/gofrs/flock"
)

// handoverLimit bounds how long a second start waits for the first one, which may itself be
// starting.
const handoverLimit = 10 * time.Second

// Instance is the right to be the one window of this user: a file lock, and a socket on
// which later starts hand over their workspace. It needs no session bus.
type Instance struct {
	lock     *flock.Flock
	folder   *os.File
	listener net.Listener
}

// handover is what a second start says, answer what it is told.
type handover struct {
	Workspace string `json:"workspace"`
}

type answer struct {
	Error string `json:"error"`
}

// TakeInstance makes this process the one window; runtimeDir is created when missing. When
// another process is, it is handed the workspace ("" just brings it forward) and handed is
// true; then there is nothing left to do.
func TakeInstance(ctx context.Context, runtimeDir, workspace string) (instance *Instance, handed bool, err error) {
	if err := os.MkdirAll(runtimeDir, 0o700); err != nil {
		return nil, false, fmt.Errorf("create the runtime folder: %w", err)
	}
	lock := flock.New(filepath.Join(runtimeDir, "window.lock"), flock.SetPermissions(0o600))
	ctx, cancel := context.WithTimeout(ctx, handoverLimit)
	defer cancel()
	for {
		mine, err := lock.TryLock()
		if err != nil {
			return nil, false, fmt.Errorf("lock %s: %w", lock.Path(), err)
		}
		if mine {
			instance, err := listen(runtimeDir, lock)
			return instance, false, err
		}
		refused, err := handOver(ctx, runtimeDir, workspace)
		if err == nil {
			return nil, true, refused
		}
		if !pause(ctx, 100*time.Millisecond) { // the first is starting or closing
			return nil, false, fmt.Errorf("another Patchbay holds %s but does not answer: %w. Close it, or end its process", lock.Path(), err)
		}
	}
}

func listen(runtimeDir string, lock *flock.Flock) (*Instance, error) {
	folder, address, err := socket(runtimeDir)
	if err == nil {
		_ = os.Remove(filepath.Join(runtimeDir, socketName)) // left by a killed process; the lock is ours
		var listener net.Listener
		if listener, err = net.Listen("unix", address); err == nil {
			return &Instance{lock: lock, folder: folder, listener: listener}, nil
		}
		folder.Close()
	}
	return nil, errors.Join(fmt.Errorf("listen for later starts in %s: %w", runtimeDir, err), lock.Close())
}

const socketName = "window.sock"

// socket is the address of the socket in dir. A socket's address holds about a hundred
// bytes, so on Linux it goes by the open folder; the caller closes that when done.
func socket(dir string) (folder *os.File, address string, err error) {
	folder, err = os.Open(dir)
	if err != nil {
		return nil, "", err
	}
	if goruntime.GOOS == "linux" {
		return folder, filepath.Join("/proc/self/fd", strconv.Itoa(int(folder.Fd())), socketName), nil
	}
	return folder, filepath.Join(dir, socketName), nil
}

// handOver tells the first window; refused is its answer, err that it could not be told.
func handOver(ctx context.Context, runtimeDir, workspace string) (refused, err error) {
	folder, address, err := socket(runtimeDir)
	if err != nil {
		return nil, err
	}
	defer folder.Close()
	var dialer net.Dialer
	conn, err := dialer.DialContext(ctx, "unix", address)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	if deadline, ok := ctx.Deadline(); ok {
		_ = conn.SetDeadline(deadline)
	}
	if err := json.NewEncoder(conn).Encode(handover{Workspace: workspace}); err != nil {
		return nil, err
	}
	var a answer
	if err := json.NewDecoder(conn).Decode(&a); err != nil {
		return nil, err
	}
	if a.Error != "" {
		return fmt.Errorf("the open window refused %s: %s", workspace, a.Error), nil
	}
	return nil, nil
}

// serve answers later starts until ctx ends, then gives up the right to be the window.
func (i *Instance) serve(ctx context.Context, second func(workspace string) error) {
	stop := context.AfterFunc(ctx, func() { i.listener.Close() })
	defer stop()
	for {
		conn, err := i.listener.Accept()
		if err != nil {
			return
		}
		i.answer(conn, second)
	}
}

func (i *Instance) answer(conn net.Conn, second func(workspace string) error) {
	defer conn.Close()
	_ = conn.SetDeadline(time.Now().Add(handoverLimit))
	var h handover
	if err := json.NewDecoder(io.LimitReader(conn, 64<<10)).Decode(&h); err != nil {
		return // not one of ours; it sees the connection close
	}
	var a answer
	if err := second(h.Workspace); err != nil {
		a.Error = err.Error()
	}
	_ = json.NewEncoder(conn).Encode(a)
}

// Close gives up the right to be the window. Further calls do nothing.
func (i *Instance) Close() error {
	_ = i.listener.Close()
	_ = i.folder.Close()
	return i.lock.Close()
}
