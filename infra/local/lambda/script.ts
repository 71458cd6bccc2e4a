/** Compiles bundles. Test files share this module: a compiled script has no state, and evaluating it makes a new one. */
import { readFileSync } from 'node:fs';
import { Script } from 'node:vm';

/** By path, which contains the digest of the bundle. */
const compiled = new Map<string, Script>();

/**
 * The bundle runs as a script, because the engine compiles the same script only once, in contrast to `compileFunction`.
 */
export function scriptOf(file: string, parameters: readonly string[]): Script {
  const known = compiled.get(file);
  if (known) return known;
  const head = `(function (${parameters}) {`;
  const script = new Script(`${head}${readFileSync(file, 'utf8')}\n})`, { filename: file, columnOffset: -head.length });
  compiled.set(file, script);
  return script;
}
