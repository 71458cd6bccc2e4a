/** Reads the run that the demo recorded, one of its flaky tests, and the history of that test. */
import { setTimeout as wait } from 'node:timers/promises';
import * as z from 'zod';
import { type Ask, CannotShow } from './local-service.ts';

const counter = z.number();
const Group = z.object({
  groupId: z.string(),
  durationMs: counter.nullable(),
  specCount: counter,
  tests: z.object({
    overall: counter,
    tests: counter,
    passes: counter,
    failures: counter,
    pending: counter,
    skipped: counter,
    flaky: counter,
    retries: counter,
  }),
});
export type Group = z.infer<typeof Group>;

const Run = z.object({
  runId: z.string(),
  status: z.string(),
  completionState: z.string(),
  durationMs: counter.nullable(),
  groups: z.array(Group),
  specs: z.array(z.object({ instanceId: z.string(), results: z.object({ flaky: counter }).nullable() })),
});
export type Run = z.infer<typeof Run>;

const data = <Schema extends z.ZodType>(schema: Schema) => z.object({ data: schema });

const COMPLETE_WITHIN_MILLISECONDS = 30_000;
const POLL_MILLISECONDS = 250;

export interface Build {
  readonly projectId: string;
  readonly ciBuildId: string;
}

const runOf = async (ask: Ask, { projectId, ciBuildId }: Build): Promise<Run> =>
  (await ask(data(Run), `/runs/find?${new URLSearchParams({ projectId, ciBuildId })}`)).data;

/** Returns a text such as `12 of 34 tests recorded`. */
export async function progressOf(ask: Ask, build: Build): Promise<string> {
  const [run] = await Promise.allSettled([runOf(ask, build)]);
  // The run does not exist until the reporter's first request.
  return run.status === 'fulfilled' ? testsOf(run.value) : 'not started yet';
}

function testsOf({ groups }: Run): string {
  const sum = (name: 'overall' | 'tests') => groups.reduce((total, { tests }) => total + tests[name], 0);
  return `${sum('overall')} of ${sum('tests')} tests recorded`;
}

/** Waits until the run is complete. Throws `CannotShow` if that takes too long. */
export async function completeRun(ask: Ask, build: Build): Promise<Run> {
  const deadline = performance.now() + COMPLETE_WITHIN_MILLISECONDS;
  for (;;) {
    const run = await runOf(ask, build);
    if (run.completionState === 'COMPLETE') return run;
    if (performance.now() > deadline) {
      const seconds = COMPLETE_WITHIN_MILLISECONDS / 1000;
      throw new CannotShow(
        `The run is still ${run.completionState} ${seconds} s after the suite ended, with ${testsOf(run)}. ` +
          'Read the output of "npm start".',
      );
    }
    await wait(POLL_MILLISECONDS);
  }
}

const Instance = z.object({
  spec: z.string(),
  results: z.object({ tests: z.array(z.object({ title: z.array(z.string()), isFlaky: z.boolean() })) }),
});

export interface FlakyTest {
  readonly spec: string;
  readonly title: readonly string[];
  readonly signature: string;
}

/** One of the run's flaky tests. Throws `CannotShow` if there is none. */
export async function flakyTest(ask: Ask, projectId: string, { specs }: Run): Promise<FlakyTest> {
  const instanceId = specs.find(({ results }) => results !== null && results.flaky > 0)?.instanceId;
  if (instanceId === undefined)
    throw new CannotShow('The run has no flaky test, though the sample suite has one. Run the demo again.');
  const { spec, results } = (await ask(data(Instance), `/instances/${instanceId}`)).data;
  const title = results.tests.find(({ isFlaky }) => isFlaky)?.title ?? [];
  const body = { projectId, specFilePath: spec, testTitle: title };
  const { signature } = (await ask(data(z.object({ signature: z.string() })), '/signature/test', body)).data;
  return { spec, title, signature };
}

const Execution = z.object({
  createdAt: z.string(),
  runId: z.string(),
  groupId: z.string(),
  status: z.enum(['passed', 'failed', 'pending', 'skipped']),
  flaky: z.boolean(),
  duration: counter,
  attempts: z.array(z.object({ state: z.string() })),
  displayError: z.string().nullable(),
});
export type Execution = z.infer<typeof Execution>;

const DAYS_BACK = 90;
const DAY_MILLISECONDS = 86_400_000;
const HISTORY_ITEMS = 20;

/** The request path for the 20 newest executions of a test in the last 90 days. */
export function historyPath({ signature }: FlakyTest): string {
  const daysFromNow = (days: number) => new Date(Date.now() + days * DAY_MILLISECONDS).toISOString();
  const query = new URLSearchParams({
    date_start: daysFromNow(-DAYS_BACK),
    date_end: daysFromNow(1),
    limit: String(HISTORY_ITEMS),
  });
  return `/test-results/${signature}?${query}`;
}

/** The history of the test, newest first. */
export async function historyOf(ask: Ask, test: FlakyTest): Promise<Execution[]> {
  return (await ask(data(z.array(Execution)), historyPath(test))).data;
}
