/** Converts Playwright's JSON report into the terms of §2. Tests compare recorded runs with the converted report. */
import * as z from 'zod';

export interface SeenTest {
  /** The name of a test, for example `retail cart.spec.ts > cart > sums equal articles`. */
  readonly name: string;
  readonly group: string;
  readonly spec: string;
  readonly title: readonly string[];
  readonly outcome: 'passed' | 'failed' | 'pending' | 'skipped';
  readonly flaky: boolean;
  readonly expectedStatus: string;
  readonly annotations: readonly { type: string; description?: string }[];
  /** The tags of the run, the group and the test, merged and sorted. */
  readonly tags: readonly string[];
  readonly attempts: readonly SeenAttempt[];
}

interface SeenAttempt {
  /** The status that Playwright reports, for example `timedOut`. */
  readonly status: string;
  readonly startedAt: string;
  /** The duration in milliseconds. */
  readonly duration: number;
  readonly workerIndex: number;
  readonly errors: number;
  readonly error: { readonly message: string; readonly location: object | null } | null;
  /** The name and media type of each attachment, for example `cart application/json`, sorted. */
  readonly attachments: readonly string[];
}

const Result = z.object({
  status: z.string(),
  duration: z.int(),
  startTime: z.string(),
  workerIndex: z.int(),
  errors: z.array(z.unknown()),
  error: z.object({ message: z.string(), location: z.looseObject({}).optional() }).optional(),
  attachments: z.array(z.object({ name: z.string(), contentType: z.string() })),
});

const ReportedTest = z.object({
  projectName: z.string(),
  expectedStatus: z.string(),
  status: z.enum(['expected', 'unexpected', 'flaky', 'skipped']),
  annotations: z.array(z.object({ type: z.string(), description: z.string().optional() })),
  results: z.array(Result),
});
type ReportedTest = z.output<typeof ReportedTest>;

const Spec = z.object({
  title: z.string(),
  file: z.string(),
  tags: z.array(z.string()),
  tests: z.array(ReportedTest),
});

const Suite = z.object({
  title: z.string(),
  specs: z.array(Spec),
  get suites() {
    return z.array(Suite).optional();
  },
});
type Suite = z.output<typeof Suite>;

const Report = z.object({
  suites: z.array(Suite),
  stats: z.object({ expected: z.int(), unexpected: z.int(), flaky: z.int(), skipped: z.int() }),
});

/**
 * Returns the tests of a report. `inherited` contains the tags that tests inherit from the run and the Playwright
 * project, by project.
 */
export function testsOfReport(report: unknown, inherited: Readonly<Record<string, readonly string[]>>): SeenTest[] {
  const { suites } = Report.parse(report);
  return suites.flatMap((file) => testsOfSuite(file, [], inherited)).sort(byName);
}

/** Playwright's own totals. `expected` counts neither pending tests nor flaky tests. */
export const statsOfReport = (report: unknown) => Report.parse(report).stats;

export const byName = ({ name: one }: SeenTest, { name: other }: SeenTest): number =>
  one < other ? -1 : one > other ? 1 : 0;

function testsOfSuite(
  { specs, suites = [] }: Suite,
  path: readonly string[],
  inherited: Readonly<Record<string, readonly string[]>>,
): SeenTest[] {
  const own = specs.flatMap((spec) => spec.tests.map((test) => seen(spec, [...path, spec.title], test, inherited)));
  return [...own, ...suites.flatMap((suite) => testsOfSuite(suite, [...path, suite.title], inherited))];
}

function seen(
  { file, tags }: z.output<typeof Spec>,
  title: readonly string[],
  test: ReportedTest,
  inherited: Readonly<Record<string, readonly string[]>>,
): SeenTest {
  const group = test.projectName;
  return {
    name: [`${group} ${file}`, ...title].join(' > '),
    group,
    spec: file,
    title,
    outcome: outcomeOf(test),
    flaky: test.status === 'flaky',
    expectedStatus: test.expectedStatus,
    annotations: test.annotations,
    tags: [...new Set([...(inherited[group] ?? []), ...tags])].sort(),
    attempts: test.results.map((result) => seenAttempt(result, test)),
  };
}

function seenAttempt(result: z.output<typeof Result>, { expectedStatus }: ReportedTest): SeenAttempt {
  const isUnexpectedPass = expectedStatus === 'failed' && result.status === 'passed' && !result.error;
  const error = isUnexpectedPass ? { message: 'Expected to fail, but passed.' } : result.error;
  return {
    status: result.status,
    startedAt: result.startTime,
    duration: result.duration,
    workerIndex: result.workerIndex,
    errors: isUnexpectedPass ? 1 : result.errors.length,
    error: error ? { message: error.message, location: result.error?.location ?? null } : null,
    attachments: result.attachments.map(({ name, contentType }) => `${name} ${contentType}`).sort(),
  };
}

/** §6 Intentionally skipped tests are `pending`. Tests that could not run are `skipped`. */
function outcomeOf({ status, expectedStatus, results }: ReportedTest): SeenTest['outcome'] {
  if (status === 'unexpected') return 'failed';
  const notRun = status === 'skipped' || results.at(-1)?.status === 'skipped';
  if (!notRun) return 'passed';
  return expectedStatus === 'skipped' ? 'pending' : 'skipped';
}

/** Whether an attempt ran. If another test kept a test from running, Playwright lists a result without a worker. */
const hasRun = ({ workerIndex, status }: SeenAttempt): boolean => workerIndex >= 0 || status !== 'skipped';

/** §3 Counts the tests by their outcomes. */
export const countersOf = (tests: readonly SeenTest[]) => ({
  overall: tests.length,
  tests: tests.length,
  passes: tests.filter(({ outcome }) => outcome === 'passed').length,
  failures: tests.filter(({ outcome }) => outcome === 'failed').length,
  pending: tests.filter(({ outcome }) => outcome === 'pending').length,
  skipped: tests.filter(({ outcome }) => outcome === 'skipped').length,
  flaky: tests.filter(({ flaky }) => flaky).length,
  retries: tests.reduce((total, { attempts }) => total + Math.max(0, attempts.filter(hasRun).length - 1), 0),
});
