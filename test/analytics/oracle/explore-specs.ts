/** Computes the expected response of `GET /spec-files/{projectId}`, without paging. */
import { isFlaky, isFullyReported, isRed, wallClockOf } from './judgement.ts';
import { type Direction, ordered } from './order.ts';
import { finalTests, type InstanceExecution, instanceExecutions, type Question } from './selection.ts';
import type { SentRun } from './sent.ts';

export interface SpecsQuestion extends Question {
  readonly includeFailedInDuration?: boolean;
  readonly specNameFilter?: string;
  readonly order?: SpecOrder;
  readonly dir?: Direction;
}

export const SPEC_ORDERS = [
  'avgDuration',
  'failedExecutions',
  'failureRate',
  'flakeRate',
  'flakyExecutions',
  'fullyReported',
  'overallExecutions',
  'suiteSize',
  'timeoutExecutions',
  'timeoutRate',
] as const;
type SpecOrder = (typeof SPEC_ORDERS)[number];

export interface SpecRow {
  readonly spec: string;
  readonly signature: string;
  readonly metrics: Readonly<Record<SpecOrder, number>>;
}

export function exploreSpecs(
  runs: readonly SentRun[],
  question: SpecsQuestion,
  signatureOf: (spec: string) => string,
): SpecRow[] {
  const { order = 'avgDuration', dir = 'desc', specNameFilter = '', includeFailedInDuration = false } = question;
  const found = instanceExecutions(runs, question).filter(({ instance }) =>
    instance.spec.toLowerCase().includes(specNameFilter.toLowerCase()),
  );
  const rows = [...Map.groupBy(found, ({ instance }) => instance.spec)].map(([spec, executions]) => ({
    spec,
    signature: signatureOf(spec),
    metrics: metricsOf(executions, includeFailedInDuration),
  }));
  return ordered(rows, dir, (row) => [row.metrics[order], row.spec]);
}

function metricsOf(found: readonly InstanceExecution[], withFailed: boolean): SpecRow['metrics'] {
  const number = (isWanted: (one: InstanceExecution) => boolean) => found.filter(isWanted).length;
  const overallExecutions = found.length;
  const failedExecutions = number(hasFailed);
  const flakyExecutions = number(({ instance }) => finalTests(instance).some(isFlaky));
  const timeoutExecutions = number(({ run, instance }) => !isFullyReported(instance) && run.ending !== 'COMPLETE');
  const reported = found.filter(({ instance }) => isFullyReported(instance));
  const timed = reported.filter((one) => withFailed || !hasFailed(one));
  const durations = timed.flatMap(({ instance }) => wallClockOf(instance) ?? []);
  return {
    overallExecutions,
    failedExecutions,
    flakyExecutions,
    timeoutExecutions,
    fullyReported: reported.length,
    suiteSize: reported.reduce((largest, { instance }) => Math.max(largest, instance.expected), 0),
    failureRate: failedExecutions / overallExecutions,
    flakeRate: flakyExecutions / overallExecutions,
    timeoutRate: timeoutExecutions / overallExecutions,
    avgDuration:
      durations.length === 0 ? 0 : Math.round(durations.reduce((sum, one) => sum + one, 0) / durations.length),
  };
}

const hasFailed = ({ instance }: InstanceExecution): boolean => finalTests(instance).some(isRed);
