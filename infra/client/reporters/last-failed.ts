/**
 * Asks the service which tests a later try of a build has to run again. Whatever goes wrong, everything has to run, with
 * the reason: a job that repeats too little could pass with a failed test.
 */

import { getErrorMessage } from '../settings/failure.ts';
import { isObject } from '../settings/json.ts';
import { findLegProblem } from '../settings/leg.ts';
import { Connection, GaveUp } from './connection.ts';
import type { Settings } from './settings.ts';

/** How long the tests wait for the answer, in milliseconds. */
const LONGEST_WAIT = 30_000;

export interface TestToRepeat {
  readonly key: string;
  readonly groupId: string;
  readonly spec: string;
  readonly title: readonly string[];
}

export type Repetition =
  | { readonly repeat: 'everything'; readonly reason: string }
  | { readonly repeat: 'nothing'; readonly runUrl: string }
  | { readonly repeat: 'tests'; readonly runUrl: string; readonly tests: readonly TestToRepeat[] };

export const repeatEverything = (reason: string): Repetition => ({ repeat: 'everything', reason });

interface Asker {
  /** What a reporter sends of its suite, and gets back only the tests of that part. */
  readonly part?: string;
  readonly leg?: string;
}

export async function askWhatToRepeat(settings: Settings, { part, leg }: Asker): Promise<Repetition> {
  const problem = findLegProblem(process.env);
  if (problem !== undefined) return repeatEverything(problem);
  const connection = new Connection(settings, AbortSignal.timeout(LONGEST_WAIT));
  connection.keepsProcess = true;
  const { project, ciBuildId, job, group, try: number, machineId: asker } = settings;
  const names = { part: part ?? null, leg: leg ?? null, process: asker, group: group ?? null };
  const body = { ciBuildId, job: job ?? null, try: number ?? null, ...names };
  try {
    const path = `/projects/${encodeURIComponent(project)}/last-failed`;
    return readAnswer(await connection.post(path, JSON.stringify(body)));
  } catch (error) {
    return repeatEverything(
      error instanceof GaveUp ? `The service was not available: ${connection.problem}` : getErrorMessage(error),
    );
  }
}

export function formatRepetition(repetition: Repetition): string {
  switch (repetition.repeat) {
    case 'everything':
      return `all tests run. ${repetition.reason}`;
    case 'nothing':
      return `nothing to run again: no test failed in the try before this one  →  ${repetition.runUrl}`;
    default:
      return `only what failed in the try before this one runs again (${repetition.tests.length} tests)  →  ${repetition.runUrl}`;
  }
}

function readAnswer({ repeat, reason, run, tests }: Readonly<Record<string, unknown>>): Repetition {
  const runUrl = isObject(run) && typeof run['runUrl'] === 'string' ? run['runUrl'] : undefined;
  if (repeat === 'everything') return repeatEverything(String(reason));
  const all = Array.isArray(tests) ? tests.map(readTest) : [];
  if (runUrl !== undefined && repeat === 'nothing' && all.length === 0) return { repeat, runUrl };
  const testsToRepeat = all.filter((test) => test !== undefined);
  if (runUrl !== undefined && repeat === 'tests' && testsToRepeat.length > 0 && testsToRepeat.length === all.length)
    return { repeat, runUrl, tests: testsToRepeat };
  return repeatEverything('The answer of the service is not readable');
}

function readTest(test: unknown): TestToRepeat | undefined {
  if (!isObject(test) || typeof test['key'] !== 'string') return undefined;
  const { key, groupId = '', spec = '', title = [] } = test;
  return { key, groupId: String(groupId), spec: String(spec), title: Array.isArray(title) ? title.map(String) : [] };
}
