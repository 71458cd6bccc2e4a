/**
 * Loads the class with which the published reporter matches rules and tests. The package does not export the class, so
 * a regular expression finds it in the bundle.
 */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { runInThisContext } from 'node:vm';
import type { RuleMatcher } from '#shared/model/rules/rule-matcher.ts';

interface ReporterMatcher {
  readonly matchRule: (rule: { readonly matcher: RuleMatcher }, test: object) => boolean;
}
type Constructor = new (rules: readonly object[]) => ReporterMatcher;

/** Captures the minified name of the class that has the method `matchCondition`. */
const CLASS = /([\w$]+)=class\{constructor\([\w$,]+=\([^)]*\)=>\{\}\)\{this\.rules=[\s\S]{0,200}?matchCondition\(/;

const isConstructor = (value: unknown): value is Constructor => typeof value === 'function';

export async function reporterMatcher(): Promise<ReporterMatcher> {
  const require = createRequire(import.meta.url);
  const file = require.resolve('@currents/playwright');
  const bundle = await readFile(file, 'utf8');
  const name = CLASS.exec(bundle)?.[1];
  if (name === undefined)
    throw new Error('The matcher of the published reporter has changed. Compare it with shared/rules/match.ts again');
  const wrapped = `(function (exports, require, module, __filename, __dirname) { ${bundle}\n;return ${name}; })`;
  const load: unknown = runInThisContext(wrapped, { filename: file });
  if (typeof load !== 'function') throw new Error('The bundle of the reporter could not be loaded');
  const module = { exports: {} };
  const loaded: unknown = load(module.exports, createRequire(file), module, file, dirname(file));
  if (!isConstructor(loaded)) throw new Error('The matcher of the reporter is not a class');
  return new loaded([]);
}
