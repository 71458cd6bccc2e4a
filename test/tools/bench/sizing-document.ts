/** The tables in infra/README.md that are computed from the counts of `npm run cost`. They stand between two comments. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CountedCosts } from './counted-costs.ts';
import { markdown } from './report.ts';
import { makeScaleTable } from './scale.ts';
import { makeSizingTable } from './sizing.ts';

const DOCUMENT = join(import.meta.dirname, '../../../infra/README.md');
/** The computed tables of the document, by the name in the comments around them. */
const TABLES = { sizing: makeSizingTable, 'large organization': makeScaleTable } as const;

export function replaceSizing(text: string, counted: CountedCosts): string {
  return Object.entries(TABLES).reduce((before, [name, makeTable]) => {
    const [begin, end] = [`<!-- ${name} -->`, `<!-- end of ${name} -->`];
    const [head = '', rest, ...more] = before.split(begin);
    const place = rest?.indexOf(end) ?? -1;
    if (rest === undefined || place < 0 || more.length > 0)
      throw new Error(`infra/README.md needs the table "${name}" once: "${begin}", and "${end}" on a later line`);
    return `${head}${begin}\n${markdown(makeTable(counted))}\n${rest.slice(place)}`;
  }, text);
}

export const readSizedDocument = (): Promise<string> => readFile(DOCUMENT, 'utf8');

export async function writeSizing(counted: CountedCosts): Promise<void> {
  await writeFile(DOCUMENT, replaceSizing(await readSizedDocument(), counted));
}
