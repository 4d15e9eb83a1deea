package mcpconf

import (
	"fmt"
	"hash/maphash"
	"strings"
	"time"

	"github.com/aymanbagabas/go-udiff"
	"github.com/tailscale/hujson"
)

func nowMs() int64 { return time.Now().UnixMilli() }

// unified is the difference of two texts of one file.
func unified(path, before, after string) string {
	return udiff.Unified(path+" before", path+" now", before, after)
}

// masker hides secrets in a text that people see. Equal values get equal marks, so that a
// change of a secret still shows as one.
type masker struct{ seed maphash.Seed }

func newMasker() masker { return masker{seed: maphash.MakeSeed()} }

// mask is the text of a document with the values of env, headers and auth hidden; a
// reference such as ${env:TOKEN} is no secret and stays. "" for no document.
func (k masker) mask(d *document) string {
	if d == nil {
		return ""
	}
	var b strings.Builder
	done := 0
	hide := func(v hujson.Value, _ int) {
		l, ok := v.Value.(hujson.Literal)
		if !ok || l.Kind() != '"' || l.String() == "" || strings.Contains(l.String(), "${") {
			return
		}
		b.Write(d.body[done:v.StartOffset])
		fmt.Fprintf(&b, `"•••• %04x"`, maphash.String(k.seed, l.String())&0xFFFF)
		done = v.EndOffset
	}
	eachSecret(d, func(v hujson.Value) { walk(v, 0, hide) })
	b.Write(d.body[done:])
	return b.String()
}

// eachSecret visits the values of the members that hold secrets, in file order.
func eachSecret(d *document, visit func(hujson.Value)) {
	root, ok := d.root.Value.(*object)
	if !ok {
		return
	}
	for _, top := range root.Members {
		servers, ok := top.Value.Value.(*object)
		if !ok || memberName(top) != "mcpServers" {
			continue
		}
		for _, s := range servers.Members {
			entry, ok := s.Value.Value.(*object)
			if !ok {
				continue
			}
			for _, f := range entry.Members {
				switch memberName(f) {
				case "env", "headers", "auth":
					visit(f.Value)
				}
			}
		}
	}
}
