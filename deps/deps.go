//go:build depsonly

// Package deps pins modules while the packages that use them are written.
package deps

import (
	_ "github.com/adrg/xdg"
	_ "github.com/aymanbagabas/go-udiff"
	_ "github.com/fsnotify/fsnotify"
	_ "github.com/gofrs/flock"
	_ "github.com/google/jsonschema-go/jsonschema"
	_ "github.com/google/uuid"
	_ "github.com/modelcontextprotocol/go-sdk/mcp"
	_ "github.com/rivo/uniseg"
	_ "github.com/sashabaranov/go-openai"
	_ "github.com/tailscale/hujson"
	_ "github.com/wailsapp/wails/v2"
	_ "github.com/zalando/go-keyring"
	_ "go.uber.org/goleak"
	_ "golang.org/x/sync/errgroup"
	_ "golang.org/x/sys/unix"
	_ "modernc.org/sqlite"
	_ "pgregory.net/rapid"
)
