/**
 * Compiles bundles and caches the compiled scripts. Test files can share the cache, because a compiled script has no
 * state until it is evaluated.
 */
import { readFileSync } from 'node:fs';
import { Script } from 'node:vm';

/** The compiled scripts by path. The bundle at a path does not change while a process runs. */
const compiled = new Map<string, Script>();

/**
 * Compiles a file. Uses `Script` instead of `compileFunction`, because V8 caches only the compiled code of a `Script`.
 */
export function scriptOf(file: string, parameters: readonly string[]): Script {
  const known = compiled.get(file);
  if (known) return known;
  const head = `(function (${parameters}) {`;
  const script = new Script(`${head}${readFileSync(file, 'utf8')}\n})`, { filename: file, columnOffset: -head.length });
  compiled.set(file, script);
  return script;
}
