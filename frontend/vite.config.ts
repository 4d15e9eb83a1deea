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
    chunkSizeWarningLimit: 600, // read from the program itself, not over a network
    assetsInlineLimit: 0, // the content policy loads fonts from our own address only
    rollupOptions: { input: scenario ? "dev.html" : "index.html" },
  },
  test: { environment: "jsdom", setupFiles: ["./src/test-setup.ts"], testTimeout: 30000 },
});
