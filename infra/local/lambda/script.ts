/**
 * Compiles bundles and caches the compiled scripts. Test files can share the cache, because a compiled script has no
 * state until it is evaluated.
 */
import { readFileSync, statSync } from 'node:fs';
import { Script } from 'node:vm';

/** The compiled scripts by path, each with the time when its file was written. */
const compiled = new Map<string, { readonly script: Script; readonly writtenAt: number }>();

/**
 * Compiles a file. Uses `Script` instead of `compileFunction`, because V8 caches only the compiled code of a `Script`.
 */
export function scriptOf(file: string, parameters: readonly string[]): Script {
  const writtenAt = statSync(file).mtimeMs;
  const known = compiled.get(file);
  if (known?.writtenAt === writtenAt) return known.script;
  const head = `(function (${parameters}) {`;
  const script = new Script(`${head}${readFileSync(file, 'utf8')}\n})`, { filename: file, columnOffset: -head.length });
  compiled.set(file, { script, writtenAt });
  return script;
}
