import react from "@vitejs/plugin-react";
import type { Plugin } from "vite";
import { defineConfig } from "vitest/config";

/** Asks for every file of the first script beside it: WebKitGTK takes no modulepreload, and would
 *  ask for the second file when it has read the first. */
const sideBySide: Plugin = {
  name: "side-by-side",
  transformIndexHtml: {
    order: "post",
    handler: (html) => {
      const files: string[] = [];
      const rest = html.replace(/\s*<link rel="modulepreload"[^>]*href="([^"]+)"[^>]*>/g, (_, href: string) => { files.push(href); return ""; });
      return rest.replace('<script type="module"', (own) => files.map((href) => `<script type="module" crossorigin src="${href}"></script>\n    `).join("") + own);
    },
  },
};

// The scenario page (dev.html) is built only with PATCHBAY_SCENARIO set, never into dist.
const scenario = process.env.PATCHBAY_SCENARIO;

export default defineConfig({
  plugins: [react(), sideBySide],
  base: "./",
  build: {
    target: "safari16",
    modulePreload: { polyfill: false },
    outDir: scenario ?? "dist",
    emptyOutDir: true,
    assetsInlineLimit: 0, // the content policy loads fonts from our own address only
    rollupOptions: {
      input: scenario ? "dev.html" : "index.html",
      // React in a file that is asked for beside the page's own, not after it was read.
      output: { codeSplitting: { groups: [{ name: "react", test: /node_modules[\\/](react|react-dom|scheduler)[\\/]/ }] } },
    },
  },
  test: { environment: "jsdom", setupFiles: ["./src/test-setup.ts"], testTimeout: 30000 },
});
