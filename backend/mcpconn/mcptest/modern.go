package mcptest

import "encoding/json"

// modern answers what only revision 2026-07-28 has, in the modes:
//
//	modern           tells of changes to whoever listens; its tool cut ends every listen
//	modern=refuses   declares that it tells of changes and refuses every listen
//	modern=silent    does not tell of changes; its lists are stale at once
func (s *stdioServer) modern(m message) {
	switch {
	case m.Method == "server/discover":
		s.answer(m, discoverResult(s.arg != "silent"))
	case s.arg != "":
		s.refuse(m, -32601, "no streams here")
	default:
		s.mu.Lock()
		s.listens = append(s.listens, m.ID)
		s.mu.Unlock()
		s.notify("notifications/subscriptions/acknowledged", object{"notifications": object{"toolsListChanged": true}})
	}
}

// cut ends every listen as a server does that wants no streams for a while.
func (s *stdioServer) cut() {
	s.mu.Lock()
	ids := s.listens
	s.listens = nil
	s.mu.Unlock()
	for _, id := range ids {
		s.answer(message{ID: json.RawMessage(id)}, object{"resultType": "complete"})
	}
}
