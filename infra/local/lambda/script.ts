/** Compiles bundles. Test files share this cache: a compiled script has no state until it is evaluated. */
import { readFileSync } from 'node:fs';
import { Script } from 'node:vm';

/** The compiled scripts by path, which contains the digest of the bundle. */
const compiled = new Map<string, Script>();

/** Compiles a file. Uses `Script`, because V8 caches its compiled code, unlike that of `compileFunction`. */
export function scriptOf(file: string, parameters: readonly string[]): Script {
  const known = compiled.get(file);
  if (known) return known;
  const head = `(function (${parameters}) {`;
  const script = new Script(`${head}${readFileSync(file, 'utf8')}\n})`, { filename: file, columnOffset: -head.length });
  compiled.set(file, script);
  return script;
}
