/**
 * Lets Node import `.tsx` files: Node strips types, but does not compile JSX. Import this file before them. The compiled
 * files are kept beside the code that Node itself caches.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { transformSync, version } from 'esbuild';

const FOLDER = join(import.meta.dirname, '../../cdk.out/compiled/jsx');
mkdirSync(FOLDER, { recursive: true });

registerHooks({
  load(url, context, next) {
    return url.endsWith('.tsx')
      ? { format: 'module', source: compiled(fileURLToPath(url)), shortCircuit: true }
      : next(url, context);
  },
});

function compiled(file: string): string {
  const source = readFileSync(file, 'utf8');
  const digest = createHash('sha256').update(`${version} ${file} ${source}`).digest('hex');
  const kept = join(FOLDER, `${digest}.js`);
  if (existsSync(kept)) return readFileSync(kept, 'utf8');
  const { code } = transformSync(source, {
    loader: 'tsx',
    format: 'esm',
    jsx: 'automatic',
    jsxImportSource: '#html',
    sourcemap: 'inline',
    sourcefile: file,
  });
  // Another process may compile the same file, so it must never see half of one.
  const part = `${kept}.${process.pid}`;
  writeFileSync(part, code);
  renameSync(part, kept);
  return code;
}
