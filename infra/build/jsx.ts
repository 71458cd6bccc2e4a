/**
 * Lets Node import `.tsx` files: Node strips types, but does not compile JSX. Import this file before any `.tsx` file.
 * The compiled files are stored next to Node's own compile cache.
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
      ? { format: 'module', source: compileJsx(fileURLToPath(url)), shortCircuit: true }
      : next(url, context);
  },
});

function compileJsx(file: string): string {
  const source = readFileSync(file, 'utf8');
  const digest = createHash('sha256').update(`${version} ${file} ${source}`).digest('hex');
  const compiledFile = join(FOLDER, `${digest}.js`);
  if (existsSync(compiledFile)) return readFileSync(compiledFile, 'utf8');
  const { code } = transformSync(source, {
    loader: 'tsx',
    format: 'esm',
    jsx: 'automatic',
    jsxImportSource: '#html',
    sourcemap: 'inline',
    sourcefile: file,
  });
  // Another process may compile the same file at the same time, and must never read a half-written file.
  const part = `${compiledFile}.${process.pid}`;
  writeFileSync(part, code);
  renameSync(part, compiledFile);
  return code;
}
