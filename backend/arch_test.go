// Package backend_test holds the rules of the package tree.
package backend_test

import (
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// layers is the direction of imports: a package may import those of its own line's level
// and below (a higher number), never those above.
var layers = map[string]int{
	"patchbay":                        0,
	"patchbay/app":                    1,
	"patchbay/backend/cli":            1,
	"patchbay/backend/session":        2,
	"patchbay/backend/agent":          3,
	"patchbay/backend/mcphost":        3,
	"patchbay/backend/gateway":        3,
	"patchbay/backend/history":        4,
	"patchbay/backend/settings":       3,
	"patchbay/backend/builtin":        3,
	"patchbay/backend/approval":       4,
	"patchbay/backend/ask":            4,
	"patchbay/backend/model/openai":   4,
	"patchbay/backend/model/practice": 3,
	"patchbay/backend/mcpconn":        4,
	"patchbay/backend/mcpauth":        4,
	"patchbay/backend/demo":           4,
	"patchbay/backend/model":          5,
	"patchbay/backend/tool":           6,
	"patchbay/backend/mcpconf":        6,
	"patchbay/backend/proc":           7,
	"patchbay/backend/fsx":            8,
	"patchbay/backend/watch":          8,
}

// alone names the only package outside tests that may import a module.
var alone = map[string][]string{
	"github.com/wailsapp/wails/v2":               {"patchbay/app", "patchbay"},
	"github.com/sashabaranov/go-openai":          {"patchbay/backend/model/openai"},
	"github.com/modelcontextprotocol/go-sdk/mcp": {"patchbay/backend/mcpconn", "patchbay/backend/demo"},
	"modernc.org/sqlite":                         {"patchbay/backend/history"},
	"github.com/zalando/go-keyring":              {"patchbay/backend/settings"},
	"github.com/godbus/dbus/v5":                  {"patchbay/app"},
	"github.com/fsnotify/fsnotify":               {"patchbay/backend/mcpconf"},
}

type listed struct {
	ImportPath string
	Imports    []string
}

func packages(t *testing.T) []listed {
	t.Helper()
	cmd := exec.Command("go", "list", "-json=ImportPath,Imports", "./...")
	cmd.Dir = ".."
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	var all []listed
	for dec := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p listed
		if err := dec.Decode(&p); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
}

// isRig reports whether a package exists for tests only.
func isRig(path string) bool {
	last := path[strings.LastIndex(path, "/")+1:]
	return path == "patchbay/backend" || strings.HasSuffix(last, "test") || last == "e2e" || last == "bench" || strings.Contains(path, "/app/e2e") || strings.HasPrefix(path, "patchbay/build/") || strings.Contains(path, "test/")
}

func TestImportsPointDown(t *testing.T) {
	for _, p := range packages(t) {
		if isRig(p.ImportPath) {
			continue
		}
		level, known := layers[p.ImportPath]
		if !known {
			t.Errorf("%s stands in no layer: add it to the table", p.ImportPath)
			continue
		}
		for _, imported := range p.Imports {
			if isRig(imported) && strings.HasPrefix(imported, "patchbay") {
				t.Errorf("%s imports the test rig %s", p.ImportPath, imported)
			}
			if to, ours := layers[imported]; ours && (to < level || imported != p.ImportPath && to == level && level <= 1) {
				t.Errorf("%s (layer %d) imports %s (layer %d)", p.ImportPath, level, imported, to)
			}
			for module, only := range alone {
				if strings.HasPrefix(imported, module) && !slices.Contains(only, p.ImportPath) {
					t.Errorf("%s imports %s, which only %v may", p.ImportPath, imported, only)
				}
			}
		}
	}
}

// allowedVar reports whether a package-level variable is an error, a table or an embed.
func allowedVar(name string, value ast.Expr, doc string) bool {
	if strings.HasPrefix(strings.ToLower(name), "err") || strings.Contains(doc, "go:embed") || name == "_" || name == "version" {
		return true
	}
	switch v := value.(type) {
	case *ast.CompositeLit:
		return true // a table
	case *ast.CallExpr: // a compiled expression, or a table built by a call
		if sel, ok := v.Fun.(*ast.SelectorExpr); ok {
			return sel.Sel.Name == "MustCompile" || sel.Sel.Name == "NewReplacer" || sel.Sel.Name == "New" && isErrors(sel)
		}
	}
	return false
}

func isErrors(sel *ast.SelectorExpr) bool {
	x, ok := sel.X.(*ast.Ident)
	return ok && x.Name == "errors"
}

func TestPackageVariablesAreErrorsTablesOrEmbeds(t *testing.T) {
	for _, root := range []string{".", "../app"} {
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			checkVars(t, path)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

func checkVars(t *testing.T, path string) {
	t.Helper()
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, path, nil, parser.ParseComments)
	if err != nil {
		t.Errorf("parse %s: %v", path, err)
		return
	}
	for _, decl := range file.Decls {
		gen, ok := decl.(*ast.GenDecl)
		if !ok || gen.Tok != token.VAR {
			continue
		}
		for _, spec := range gen.Specs {
			vs := spec.(*ast.ValueSpec)
			doc := comment(gen.Doc) + comment(vs.Doc)
			for i, name := range vs.Names {
				var value ast.Expr
				if i < len(vs.Values) {
					value = vs.Values[i]
				}
				if !allowedVar(name.Name, value, doc) {
					t.Errorf("%s: package-level var %s is no error, table or embed", fset.Position(name.Pos()), name.Name)
				}
			}
		}
	}
}

// comment is a comment group with its directives, which Text leaves out.
func comment(g *ast.CommentGroup) string {
	if g == nil {
		return ""
	}
	var b strings.Builder
	for _, c := range g.List {
		b.WriteString(c.Text)
	}
	return b.String()
}
