/** Invalid tests and spec files of a request. The response and the run name them, and the run cannot pass without them. */
import type { LeftOut } from '#shared/engine/http/lists.ts';
import { makeVisibleLine } from '#shared/engine/plain-text.ts';
import { noteProblems } from '#shared/lifecycle/note-problems.ts';
import type { Run } from '#shared/model/runs/run.ts';
import type { Services } from '#shared/services.ts';
import { RECORDING_LIMITS } from './limits.ts';

export const describeLeftOutTest = ({ sent, problem }: LeftOut, spec: string): string =>
  formatLeftOut(`The test${quoteName(readMember(sent, 'title'))} of ${spec}`, problem);

export const describeLeftOutSpec = ({ sent, problem }: LeftOut): string =>
  formatLeftOut(`The spec file${quoteName(readMember(sent, 'spec'))}`, problem);

/** The number of tests that an invalid spec file brought along, at least one. */
export function countLeftOutTests({ sent }: LeftOut): number {
  const tests: unknown = typeof sent === 'object' && sent !== null ? Reflect.get(sent, 'tests') : undefined;
  return Array.isArray(tests) && tests.length > 0 ? tests.length : 1;
}

/** The text of a member of an invalid value, which may be a list of texts. */
function readMember(item: unknown, name: 'title' | 'spec'): string | undefined {
  if (typeof item !== 'object' || item === null) return undefined;
  const value: unknown = Reflect.get(item, name);
  const parts = Array.isArray(value) ? value : [value];
  return parts.every((part) => typeof part === 'string') ? parts.join(' › ') : undefined;
}

const formatLeftOut = (what: string, problem: string): string =>
  makeVisibleLine(`${what} was not recorded: ${problem}`)
    .slice(0, RECORDING_LIMITS.machineErrorCharacters)
    .toWellFormed();

const NAME_CHARACTERS = 200;

function quoteName(name: string | undefined): string {
  if (!name) return '';
  return name.length > NAME_CHARACTERS ? ` "${name.slice(0, NAME_CHARACTERS)}…"` : ` "${name}"`;
}

/** The texts that a response and a run contain. Further ones are counted. */
export function summarizeLeftOut(texts: readonly string[]): string[] {
  const namedTexts = texts.slice(0, RECORDING_LIMITS.leftOutNamed);
  const more = texts.length - namedTexts.length;
  return more > 0 ? [...namedTexts, `Further tests that were not recorded: ${more}`] : namedTexts;
}

interface LeftOutTexts {
  /** The request, which stores the same again if it is repeated. */
  readonly source: string;
  readonly texts: readonly string[];
  readonly job?: string | undefined;
}

/** Stores with the run what was left out. */
export function noteLeftOut(services: Services, run: Run, { source, texts, job }: LeftOutTexts): Promise<void> {
  const problems = summarizeLeftOut(texts).map((message) => ({ kind: 'leftOutTest', message, file: null }) as const);
  return noteProblems(services, run, { source, job, problems });
}
