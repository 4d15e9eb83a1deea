package mcptest

import (
	"time"

	"patchbay/backend/mcpconn"
)

// Deaf is an mcpconn.Observer that hears nothing.
type Deaf struct{}

func (Deaf) Stage(mcpconn.Stage)        {}
func (Deaf) Spawned(int)                {}
func (Deaf) Stderr(string)              {}
func (Deaf) Log(string, string)         {}
func (Deaf) ToolsChanged()              {}
func (Deaf) Health(bool, time.Duration) {}
func (Deaf) ResourcesChanged()          {}
func (Deaf) PromptsChanged()            {}
func (Deaf) ResourceUpdated(string)     {}
func (Deaf) LeansOn(mcpconn.Deprecated) {}
func (Deaf) Frame(mcpconn.Frame) uint64 { return 0 }
