#!/usr/bin/env bash
# Pictures of the page in build/screens, without the application: each scenario of
# frontend/src/dev in headless Chromium. CHROMIUM names another browser of that family.
set -euo pipefail
cd "$(dirname "$0")/.."
out=$PWD/build/screens
browser=${CHROMIUM:-$(command -v chromium || command -v chromium-browser || command -v google-chrome || true)}
[[ -n $browser ]] || { echo "No Chromium here: install it, or set CHROMIUM to its path." >&2; exit 1; }
work=$(mktemp -d)
server=
trap '[[ -z $server ]] || kill "$server" 2>/dev/null || true; rm -rf "$work"' EXIT
mkdir -p "$out"

(cd frontend && PATCHBAY_SCENARIO=$work/page npx vite build --logLevel warn)
# A server of its own on a free port: scripts of a page are not loaded from file addresses.
node -e '
const { createServer } = require("node:http"), { readFile } = require("node:fs"), { join, extname } = require("node:path");
const types = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".woff2": "font/woff2", ".woff": "font/woff" };
createServer((ask, answer) => readFile(join(process.argv[1], new URL(ask.url, "http://x").pathname), (err, bytes) => {
  answer.writeHead(err ? 404 : 200, { "Content-Type": types[extname(new URL(ask.url, "http://x").pathname)] ?? "text/plain" });
  answer.end(bytes);
})).listen(0, "127.0.0.1", function () { console.log(this.address().port); });
' "$work/page" >"$work/port" &
server=$!
for _ in {1..100}; do [[ -s $work/port ]] && break; sleep 0.1; done
port=$(<"$work/port")

# shot NAME QUERY [WIDTH HEIGHT]
shot() {
	timeout 120 "$browser" --headless=new --no-sandbox --disable-gpu --hide-scrollbars --virtual-time-budget=4000 \
		--user-data-dir="$work/profile" --window-size="${3:-1280},${4:-800}" --screenshot="$out/$1.png" \
		"http://127.0.0.1:$port/dev.html?$2" >"$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }
	[[ -s $out/$1.png ]] || { echo "No picture for $1." >&2; exit 1; }
	echo "$out/$1.png"
}

for theme in light dark; do
	for scenario in empty busy failing many long; do
		shot "page-$scenario-$theme" "s=$scenario&theme=$theme"
	done
	shot "page-busy-$theme-1920" "s=busy&theme=$theme" 1920 1080
	shot "page-wide-$theme" "s=long&theme=$theme&press=Widen%20the%20board"
	shot "page-add-$theme" "s=busy&theme=$theme&press=Add%20server"
	shot "page-resolve-$theme" "s=busy&theme=$theme&press=Resolve%20filesystem"
	shot "mcp-paste-$theme" "s=busy&theme=$theme&press=Add%20server&fill=Paste%20a%20definition|npx%20-y%20@acme/pg-mcp"
	shot "mcp-paste-many-$theme" "s=busy&theme=$theme&mcp=many&press=Add%20server&fill=Paste%20a%20definition|x"
	for kind in running failed ok; do
		shot "mcp-trial-$kind-$theme" "s=busy&theme=$theme&mcp=$kind&press=Edit%20postgres&press=Test"
	done
	shot "mcp-resolve-many-$theme" "s=busy&theme=$theme&mcp=clashes&press=Resolve%20filesystem"
	shot "mcp-overview-$theme" "s=busy&theme=$theme&press=Details%20of%20postgres"
	shot "mcp-error-$theme" "s=busy&theme=$theme&press=Details%20of%20local-docs"
	shot "mcp-tools-$theme" "s=busy&theme=$theme&press=Details%20of%20postgres&press=Tools%206"
	shot "mcp-try-$theme" "s=busy&theme=$theme&press=Details%20of%20postgres&press=Tools%206&press=query"
	shot "mcp-log-$theme" "s=busy&theme=$theme&press=Details%20of%20postgres&press=Log"
	shot "mcp-try-$theme-1920" "s=busy&theme=$theme&press=Widen%20the%20board&press=Details%20of%20postgres&press=Tools%206&press=query&fill=sql|select%201&press=Run" 1920 1080
	shot "page-settings-$theme" "s=busy&theme=$theme&press=Settings"
	shot "page-remove-$theme" "s=busy&theme=$theme&press=Remove%20github"
done
