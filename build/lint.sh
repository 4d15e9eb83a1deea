#!/usr/bin/env bash
# Formatting, vet for three systems, staticcheck and the page's types.
set -euo pipefail
cd "$(dirname "$0")/.."
export GOFLAGS=-buildvcs=false

unformatted=$(gofmt -l ./*.go app backend)
[[ -z "$unformatted" ]] || { printf 'gofmt is needed for:\n%s\n' "$unformatted" >&2; exit 1; }
go vet ./...
go vet -tags production,webkit2_41 ./...
GOOS=windows CGO_ENABLED=0 go vet ./...
GOOS=windows CGO_ENABLED=0 go vet -tags production .
GOOS=darwin CGO_ENABLED=0 go vet ./...
go run honnef.co/go/tools/cmd/staticcheck@v0.8.2 ./...
[[ -d frontend/node_modules ]] || (cd frontend && npm ci --no-audit --no-fund)
(cd frontend && npx tsc --noEmit)
echo "lint: clean"
