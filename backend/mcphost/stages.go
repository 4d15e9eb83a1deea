package mcphost

import (
	"slices"
	"time"

	"patchbay/backend/mcpconn"
)

// StageTime is a finished step of a start.
type StageTime struct {
	Stage mcpconn.Stage
	Took  time.Duration
}

// finishStage notes how long the current stage took. A stage that runs again within one
// start (the handshake in the other era) is one entry with both times.
func (s *linkState) finishStage(now time.Time) {
	took := now.Sub(s.entered)
	s.entered = now
	stages := slices.Clone(s.stages)
	for i := range stages {
		if stages[i].Stage == s.stage {
			stages[i].Took += took
			s.stages = stages
			return
		}
	}
	s.stages = append(stages, StageTime{Stage: s.stage, Took: took})
}

// checks are the steps of a start that the runtime itself takes, measured when the first
// list of a connection is taken in.
type checks struct {
	gen             uint64 // of the link's attempt, 0 before the first
	validate, claim time.Duration
}

// of returns the steps when they belong to the connection that s is now.
func (c checks) of(s linkState) []StageTime {
	if c.gen == 0 || c.gen != s.gen || s.phase != up {
		return nil
	}
	return []StageTime{{mcpconn.Validate, c.validate}, {mcpconn.Claim, c.claim}}
}
