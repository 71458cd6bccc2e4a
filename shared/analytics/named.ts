/**
 * Reads stored numbers and, at the same time, the names that they stand for. This saves a round trip. If a number has
 * no name yet, because the name was added between the two reads, all names are read again. Names are written before
 * facts, so the second read finds the name.
 */

import type { WithTable } from '#shared/engine/table/table.ts';
import { deriveSignature } from '#shared/model/ids.ts';
import { type Names, readNames } from './names.ts';
import type { AnalyticsScope } from './read-model.ts';
import type { SeriesName } from './series.ts';

class MissingName extends Error {}

function getName<Name>(names: Names<Name>, number: number, kind: string): Name {
  const name = names.get(number);
  if (name === undefined) throw new MissingName(`The ${kind} ${number} has no name`);
  return name;
}

/** Throws if the number has no name. */
export type NameOf<Name> = (number: number) => Name;

export interface NamesOfTests {
  readonly series: NameOf<SeriesName>;
  readonly specFile: NameOf<string>;
}

export function identifyTest(scope: AnalyticsScope, names: NamesOfTests, number: number) {
  const [spec, title] = names.series(number);
  const specFile = names.specFile(spec);
  return { signature: deriveSignature({ ...scope, spec: specFile, title }), specFile, title };
}

export const answerWithTestNames = <Read, Answer>(
  services: WithTable,
  scope: AnalyticsScope,
  read: Promise<Read>,
  answer: (read: Read, names: NamesOfTests) => Answer,
): Promise<Answer> => answerWithNames(read, () => readTestNames(services, scope), answer);

export const answerWithSpecFileNames = <Read, Answer>(
  services: WithTable,
  scope: AnalyticsScope,
  read: Promise<Read>,
  answer: (read: Read, specFile: NameOf<string>) => Answer,
): Promise<Answer> => answerWithNames(read, () => readSpecFileNames(services, scope), answer);

async function answerWithNames<Read, Names, Answer>(
  read: Promise<Read>,
  readAgain: () => Promise<Names>,
  answer: (read: Read, names: Names) => Answer,
): Promise<Answer> {
  const [value, names] = await Promise.all([read, readAgain()]);
  try {
    return answer(value, names);
  } catch (error) {
    if (!(error instanceof MissingName)) throw error;
    return answer(value, await readAgain());
  }
}

async function readTestNames(services: WithTable, scope: AnalyticsScope): Promise<NamesOfTests> {
  const [series, specFile] = await Promise.all([
    readNames<SeriesName>(services, { ...scope, kind: 'TEST' }),
    readSpecFileNames(services, scope),
  ]);
  return { series: (number) => getName(series, number, 'series'), specFile };
}

async function readSpecFileNames(services: WithTable, scope: AnalyticsScope): Promise<NameOf<string>> {
  const names = await readNames<string>(services, { ...scope, kind: 'SPEC' });
  return (number) => getName(names, number, 'spec file');
}
