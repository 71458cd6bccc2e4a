/** Bundles functions without their packages, which all functions of a test process then share. */
import { join } from 'node:path';
import { build, type Plugin } from 'esbuild';
import { bundleOptions } from '#infra/build/bundle.ts';
import type { DeclaredFunctions } from '#infra/build/declarations.ts';
import { trim } from '#infra/build/trim.ts';
import { OWN_BUNDLE } from '#infra/local/lambda/function-runtime.ts';
import { SHARED_PACKAGES } from '#infra/local/lambda/shared-packages.ts';

/** The file of all packages in the folder of the bundles. */
export const PACKAGES_FILE = 'packages.cjs';

/** Writes `own.js` of each function, and the file of all packages. */
export async function bundleSeparately(directory: string, functions: DeclaredFunctions): Promise<void> {
  const { plugins, sourcemap: _, ...options } = bundleOptions(directory, functions, OWN_BUNDLE);
  const names = new Set<string>();
  await build({ ...options, plugins: [...plugins, withoutPackages(names)] });
  const { entryPoints: __, outdir: ___, ...common } = options;
  const contents = [...names].map((name) => `export * as '${name}' from '${name}';`).join('\n');
  const stdin = { contents, resolveDir: options.absWorkingDir };
  await build({ ...common, stdin, outfile: join(directory, PACKAGES_FILE), plugins: [trim] });
}

/** Replaces each import of a package, whose name it notes. Our own imports begin with `#`, `.` or `/`. */
const withoutPackages = (names: Set<string>): Plugin => ({
  name: 'without packages',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^[@a-z]/ }, ({ path, kind, namespace }) => {
      if (path === SHARED_PACKAGES) return { path, external: true };
      if (kind !== 'import-statement' || namespace === 'package' || path.includes(':')) return undefined;
      names.add(path);
      return { path, namespace: 'package' };
    });
    onLoad({ filter: /.*/, namespace: 'package' }, async ({ path }) => ({ contents: await standIn(path) }));
  },
});

/** A module with the exports of a package. */
async function standIn(name: string): Promise<string> {
  const loaded: Record<string, unknown> = await import(name);
  const keys = Object.keys(Object(loaded['module.exports'] ?? loaded));
  const exported = keys.filter((key) => /^[A-Za-z_$][\w$]*$/.test(key));
  return [
    `const all = require('${SHARED_PACKAGES}')['${name}'];`,
    // A bundle without an unused export is smaller.
    ...exported.map((key, index) => `const export${index} = /* @__PURE__ */ (() => all.${key})();`),
    `export { ${exported.map((key, index) => `export${index} as ${key}`)} };`,
  ].join('\n');
}
