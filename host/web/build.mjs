// Builds the page into dist/: `node build.mjs [--watch]`. `make web` calls it.
import { context, build } from "esbuild";
import { cp, mkdir, rm } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { dirname, join } from "node:path";

const here = dirname(fileURLToPath(import.meta.url));
const dist = join(here, "dist");

const options = {
    absWorkingDir: here,
    entryPoints: { app: "src/main.ts" },
    outdir: dist,
    bundle: true,
    format: "esm",
    target: "es2022",
    minify: true,
    sourcemap: "linked",
    legalComments: "linked",
    loader: { ".woff2": "file", ".woff": "empty", ".svg": "file" },
    assetNames: "[name]",
    logLevel: "warning",
};

await rm(dist, { recursive: true, force: true });
await mkdir(dist, { recursive: true });
if (process.argv.includes("--watch")) await (await context(options)).watch();
else await build(options);
// The page itself comes last: make looks at it to see whether everything is there.
for (const file of ["icon.svg", "index.html"]) await cp(join(here, "src", file), join(dist, file));
