// Puts the declarations of frontend/wailsjs/go/models.ts in the order of their names. The
// generator writes enums in the order of a map, so that two runs differ.
import { readFileSync, writeFileSync } from "node:fs";

const file = "frontend/wailsjs/go/models.ts";
const sorted = readFileSync(file, "utf8").replace(
  /(\texport (?:enum|interface) \w+ \{\n(?:(?!\t\}\n)[^\n]*\n)*\t\}\n)+/g,
  (block) => {
    const parts = block.match(/\texport (?:enum|interface) \w+ \{\n(?:(?!\t\}\n)[^\n]*\n)*\t\}\n/g);
    const name = (part) => part.match(/export \w+ (\w+)/)[1];
    return parts.sort((a, b) => (name(a) < name(b) ? -1 : 1)).join("");
  },
);
writeFileSync(file, sorted);
