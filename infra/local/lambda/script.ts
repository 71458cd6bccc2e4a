/** Compiles bundles. Test files can share the cached scripts, which have no state until they are evaluated. */
import { readFileSync, statSync } from 'node:fs';
import { Script } from 'node:vm';

/** The compiled scripts by path, each with the time when its file was written. */
const compiled = new Map<string, { readonly script: Script; readonly writtenAt: number }>();

/** `Script` instead of `compileFunction`, because V8 caches only the compiled code of a `Script`. */
export function compileScript(file: string, parameters: readonly string[]): Script {
  const writtenAt = statSync(file).mtimeMs;
  const cachedScript = compiled.get(file);
  if (cachedScript?.writtenAt === writtenAt) return cachedScript.script;
  const head = `(function (${parameters}) {`;
  const script = new Script(`${head}${readFileSync(file, 'utf8')}\n})`, { filename: file, columnOffset: -head.length });
  compiled.set(file, { script, writtenAt });
  return script;
}
