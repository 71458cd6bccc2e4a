/**
 * The costs in documents, which stand between `<!-- costs: name -->` and `<!-- end of costs -->`. `npm run cost` writes
 * them, and a test compares them with the stored counts.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  assumptions,
  besidesTable,
  dominance,
  largestPartsTable,
  liveTests,
  monthTable,
  partsTable,
  remedyTable,
  scope,
  storedResults,
} from './cost-tables.ts';
import type { CountedCosts } from './counted-costs.ts';
import { concurrencyRemarks } from './prod-cost.ts';
import { markdown } from './report.ts';

const PROJECT = join(import.meta.dirname, '../../..');

/** The parts that each document must have, by its path. */
const DOCUMENTS = {
  'README.md': ['months', 'scope'],
  'infra/costs.md': [
    'months',
    'scope',
    'assumptions',
    'parts',
    'largest parts',
    'dominance',
    'remedies',
    'stored results',
    'live tests',
    'besides',
    'concurrency',
  ],
} as const;

type Part = (typeof DOCUMENTS)[keyof typeof DOCUMENTS][number];

const textsOf = (counted: CountedCosts): Readonly<Record<Part, string>> => ({
  months: markdown(monthTable(counted)),
  scope: scope(),
  parts: markdown(partsTable(counted)),
  'largest parts': markdown(largestPartsTable(counted)),
  dominance: dominance(counted),
  remedies: markdown(remedyTable(counted)),
  'stored results': storedResults(counted),
  assumptions: assumptions(counted),
  'live tests': liveTests(counted),
  besides: markdown(besidesTable(counted)),
  concurrency: concurrencyRemarks(counted),
});

const END = '<!-- end of costs -->';

/** Replaces the costs in the text of a document. Throws if a part is missing, appears twice or has no end. */
export function withCosts(text: string, parts: readonly Part[], counted: CountedCosts): string {
  const texts = textsOf(counted);
  return parts.reduce((before, part) => {
    const begin = `<!-- costs: ${part} -->`;
    const [head = '', rest, ...more] = before.split(begin);
    const end = rest?.indexOf(END) ?? -1;
    if (rest === undefined || end < 0 || more.length > 0)
      throw new Error(`A document needs the costs "${part}" once: "${begin}", and "${END}" on a later line`);
    return `${head}${begin}\n${texts[part]}\n${rest.slice(end)}`;
  }, text);
}

export interface CostDocument {
  readonly file: string;
  readonly text: string;
  readonly parts: readonly Part[];
}

export const readCostDocuments = (): Promise<CostDocument[]> =>
  Promise.all(
    Object.entries(DOCUMENTS).map(async ([file, parts]) => ({
      file,
      parts,
      text: await readFile(join(PROJECT, file), 'utf8'),
    })),
  );

export async function writeCosts(counted: CountedCosts): Promise<void> {
  for (const { file, text, parts } of await readCostDocuments())
    await writeFile(join(PROJECT, file), withCosts(text, parts, counted));
}
