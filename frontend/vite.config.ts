import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";

// The scenario page (dev.html) is built only with PATCHBAY_SCENARIO set, never into dist.
const scenario = process.env.PATCHBAY_SCENARIO;

export default defineConfig({
  plugins: [react()],
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
