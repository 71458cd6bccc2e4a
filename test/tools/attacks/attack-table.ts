/** The table of attacks in SECURITY.md. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type * as z from 'zod';
import { ATTACKS, type AttackClass, COUNTED_ATTACKS, CountedAttacks } from '#test/harness/attack-classes.ts';
import { PROJECT } from '#test/harness/sources.ts';

type Counted = z.output<typeof CountedAttacks>;

const DOCUMENT = join(PROJECT, 'SECURITY.md');
const BEGIN = '<!-- attacks -->';
const END = '<!-- end of attacks -->';

export const readSecurity = (): Promise<string> => readFile(DOCUMENT, 'utf8');
export const readCountedAttacks = async (): Promise<Counted> =>
  CountedAttacks.parse(JSON.parse(await readFile(COUNTED_ATTACKS, 'utf8')));

const total = (counted: Counted, name: AttackClass): number =>
  Object.values(counted).reduce((sum, counts) => sum + (counts[name] ?? 0), 0);

/** Replaces the table in the text of SECURITY.md. */
export function withAttacks(text: string, counted: Counted): string {
  const [head, rest, ...more] = text.split(BEGIN);
  const end = rest?.indexOf(END) ?? -1;
  if (rest === undefined || end < 0 || more.length > 0)
    throw new Error(`SECURITY.md needs "${BEGIN}" once, and "${END}" on a later line`);
  const names = Object.keys(ATTACKS) as AttackClass[];
  const rows = names.map((name) => `| ${ATTACKS[name]} | ${total(counted, name).toLocaleString('en')} |`);
  return `${head}${BEGIN}\n${['| What is tried | Attacks |', '|---|---|', ...rows].join('\n')}\n${rest.slice(end)}`;
}

/** Stores the counts in the order of the file names, and writes the table. */
export async function storeAttacks(counted: Counted): Promise<void> {
  const sorted = Object.fromEntries(Object.entries(counted).sort(([one], [other]) => (one < other ? -1 : 1)));
  await writeFile(COUNTED_ATTACKS, `${JSON.stringify(sorted, null, 2)}\n`);
  await writeFile(DOCUMENT, withAttacks(await readSecurity(), sorted));
}
