/**
 * Counts how the product names its functions, types and locals. `npm run names` prints the shares, `npm run names -- --list
 * functions|ends|types|locals` the names that do not follow the rules, with their places.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { glob } from 'tinyglobby';
import { type Declaration, readNames } from './read-names.ts';
import { isBareState } from './states.ts';
import { VERBS } from './verbs.ts';

const ROOT = join(import.meta.dirname, '../../..');
const SOURCES = [
  'functions/**/*.{ts,tsx}',
  'shared/**/*.{ts,tsx}',
  'infra/**/*.{ts,tsx}',
  '!**/*.test.ts',
  '!**/*.d.ts',
];

interface Place extends Declaration {
  readonly file: string;
}

export interface NameCounts {
  readonly functions: number;
  readonly withoutVerb: readonly Place[];
  /** Functions whose names end in Of, In, From, With or By. */
  readonly withPreposition: readonly Place[];
  readonly stateTypes: readonly Place[];
  readonly stateLocals: readonly Place[];
  readonly lines: number;
  readonly commentLines: number;
}

export const beginsWithVerb = (name: string): boolean => VERBS.has(/^[a-z]+/.exec(name)?.[0] ?? '');
const PREPOSITION = /(Of|In|From|With|By)$/;

export async function countNames(): Promise<NameCounts> {
  const files = (await glob(SOURCES, { cwd: ROOT })).sort();
  const sources = await Promise.all(
    files.map(async (file) => ({ file, ...readNames(file, await readFile(join(ROOT, file), 'utf8')) })),
  );
  const places: Place[] = sources.flatMap(({ file, declarations }) => declarations.map((one) => ({ ...one, file })));
  const functions = places.filter(({ kind }) => kind === 'function');
  const sum = (member: 'lines' | 'commentLines') => sources.reduce((total, source) => total + source[member], 0);
  return {
    functions: functions.length,
    withoutVerb: functions.filter(({ name }) => !beginsWithVerb(name)),
    withPreposition: functions.filter(({ name }) => PREPOSITION.test(name)),
    stateTypes: places.filter(({ kind, name }) => kind === 'type' && isBareState(name)),
    stateLocals: places.filter(({ kind, name }) => kind === 'local' && isBareState(name)),
    lines: sum('lines'),
    commentLines: sum('commentLines'),
  };
}

function formatCounts(counts: NameCounts): string {
  const percent = (part: number, whole: number) => `${((part / whole) * 100).toFixed(1)} %`;
  const { functions, withoutVerb, withPreposition, lines, commentLines } = counts;
  const rows = [
    ['Functions that begin with a verb', percent(functions - withoutVerb.length, functions)],
    ['Functions that end in Of, In, From, With or By', percent(withPreposition.length, functions)],
    ['Types that are a bare participle or adjective', String(counts.stateTypes.length)],
    ['Locals that are a bare participle or adjective', String(counts.stateLocals.length)],
    ['Lines of comments', percent(commentLines, lines)],
    ['Functions', String(functions)],
    ['Lines', String(lines)],
  ];
  return rows.map(([label = '', value = '']) => `${label.padEnd(50)}${value}`).join('\n');
}

if (import.meta.main) {
  const { list } = parseArgs({ options: { list: { type: 'string' } } }).values;
  const counts = await countNames();
  const lists: Readonly<Record<string, readonly Place[]>> = {
    functions: counts.withoutVerb,
    ends: counts.withPreposition,
    types: counts.stateTypes,
    locals: counts.stateLocals,
  };
  const places = list === undefined ? undefined : lists[list];
  if (list !== undefined && !places) throw new Error(`--list ${list}: choose ${Object.keys(lists).join(', ')}`);
  console.log(
    places ? places.map(({ file, line, name }) => `${file}:${line} ${name}`).join('\n') : formatCounts(counts),
  );
}
