/**
 * A part of `npm run check`: checks that every regular expression takes linear time or has been reviewed. To find
 * expressions that modules build while they are loaded, it loads the modules and records the expressions. Expressions
 * in tests are only checked for exponential time, because they are only applied to the texts of tests.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { globSync } from 'tinyglobby';
import { type Verdict, verdictOn } from './ambiguity.ts';
import { isBounded } from './automaton.ts';
import { expressionsIn } from './collect.ts';
import { REVIEWED } from './reviewed.ts';

const PROJECT = join(import.meta.dirname, '../../..');

interface Expression {
  readonly file: string;
  readonly line: number;
  readonly source: string;
  readonly flags: string;
}

/** This file is ignored, because many of its expressions are examples that the check must refuse. */
const EXAMPLES = 'test/tools/regular-expressions/ambiguity.test.ts';
const sources = globSync('{functions,infra,shared,test}/**/*.{ts,tsx,mjs}', { cwd: PROJECT, ignore: [EXAMPLES] });
const found = sources
  .toSorted()
  .flatMap((file) => expressionsIn(file, readFileSync(join(PROJECT, file), 'utf8')).map((one) => ({ file, ...one })));
const isProduct = ({ file }: { readonly file: string }): boolean => !file.startsWith('test/');

const literals = found.flatMap(({ file, line, literal }) => (literal ? [{ file, line, ...literal }] : []));
const places = found.filter((one) => !one.literal && isProduct(one));
const built = await expressionsBuiltBy([...new Set(places.map(({ file }) => file))]);

const problems: string[] = [];
const needed = new Set<object>();
const reviewed: Expression[] = [];

function isReviewed(file: string, fits: (source: string) => boolean): boolean {
  const review = REVIEWED.find((one) => one.file === file && fits(one.source));
  if (review) needed.add(review);
  return review !== undefined;
}

const verdicts = new Map<string, Verdict>();
for (const expression of [...literals, ...built]) {
  const { file, line, source, flags } = expression;
  const onlyExponential = !isProduct(expression);
  const key = `/${source}/${flags}${onlyExponential ? ' in tests' : ''}`;
  const verdict = verdicts.get(key) ?? verdictOn(source, flags, { onlyExponential });
  verdicts.set(key, verdict);
  if (verdict.kind === 'linear' || (verdict.kind === 'unknown' && onlyExponential)) continue;
  const allows = (known: string) => known === source || (known === 'bounded' && isBounded(source, flags));
  if (verdict.kind !== 'exponential' && isReviewed(file, allows)) reviewed.push(expression);
  else
    problems.push(
      `${file}:${line}: /${source}/${flags} may take too long (${verdict.kind}: ${verdict.why}). Rewrite it`,
    );
}
for (const { file, line } of places) {
  const isRead = built.some((one) => one.file === file && one.line === line);
  if (!isRead && !isReviewed(file, (known) => known === 'built'))
    problems.push(`${file}:${line}: builds a regular expression from data. Compare texts, or add it to reviewed.ts`);
}
for (const review of REVIEWED)
  if (!needed.has(review))
    problems.push(`${review.file}: ${review.source} needs no review. Remove its entry from reviewed.ts`);

const distinct = (all: readonly Expression[]): number =>
  new Set(all.map(({ source, flags }) => `${source}/${flags}`)).size;
const product = [...literals, ...built].filter(isProduct);
console.info(
  `Regular expressions: ${distinct(product) - distinct(reviewed)} take linear time, ${distinct(reviewed)} are reviewed, ` +
    `${distinct(literals) - distinct(literals.filter(isProduct))} in tests are not known to be exponential`,
);
for (const problem of problems) console.error(problem);
if (problems.length > 0) process.exitCode = 1;

/** Loads modules, and records the expressions that they build while they are loaded. */
async function expressionsBuiltBy(files: readonly string[]): Promise<Expression[]> {
  const recorded: Expression[] = [];
  const Original = RegExp;
  globalThis.RegExp = new Proxy(Original, {
    construct(target, given: [string | RegExp, string?], newTarget) {
      const expression: RegExp = Reflect.construct(target, given, newTarget);
      const place = placeOfCaller(files);
      if (place) recorded.push({ ...place, source: expression.source, flags: expression.flags });
      return expression;
    },
  });
  try {
    for (const file of files) await import(join(PROJECT, file));
  } finally {
    globalThis.RegExp = Original;
  }
  return recorded;
}

function placeOfCaller(files: readonly string[]): { file: string; line: number } | undefined {
  // The lines of the stack are the message, this function, the proxy trap, and then the module.
  const caller = new Error().stack?.split('\n')[3] ?? '';
  const file = files.find((one) => caller.includes(`${PROJECT}/${one}:`));
  const line = /:(\d+):\d+\)?$/.exec(caller)?.[1];
  return file && line ? { file, line: Number(line) } : undefined;
}
