package session

import (
	"context"

	"patchbay/backend/history"
)

// Search finds the saved titles and messages that have every word of a query, the best
// first. A limit of 0 is the history's own.
func (m *Manager) Search(ctx context.Context, query string, limit int) ([]history.Hit, error) {
	if m.owners.History == nil {
		return nil, nil
	}
	return m.owners.History.Search(ctx, query, limit)
}
