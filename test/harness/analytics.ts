/** Updates and reads the read model of analytics. */
import type { AnalyticsFilter, SeriesTotals } from '#shared/analytics/read-model.ts';
import { readSeries } from '#shared/analytics/read-series.ts';
import { MODEL_LIMITS } from '#shared/model/limits.ts';
import { clock, type service } from './service.ts';

type Stage = Awaited<ReturnType<typeof service>>;

const DAY = 24 * 3_600_000;

export const UNFILTERED: AnalyticsFilter = {
  tags: [],
  tagOperator: 'AND',
  branches: [],
  groups: [],
  authors: [],
  environments: [],
};

/**
 * Adds ended runs and their corrections to the read model. The schedule processes only work that was due before now, so
 * the clock advances first.
 */
export function compileRuns(stage: Stage): Promise<unknown> {
  clock.advance(MODEL_LIMITS.correctionMilliseconds + 1);
  return stage.runSchedule('mergeAnalytics');
}

/**
 * Whether a line of stored content is a mark that makes analytics read a run again. An interrupted job may leave one
 * mark more than an uninterrupted job. Marks of corrections are due at multiples of `correctionMilliseconds`.
 */
export function marksCorrection(line: string): boolean {
  if (line.includes('"pk":{"S":"PENDING#')) return line.includes('"corrects"');
  const [, dueAt] = /"dueAt":\{"N":"(\d+)"\}.*"pk":\{"S":"DUE#analytics#.* compile /.exec(line) ?? [];
  return dueAt !== undefined && Number(dueAt) % MODEL_LIMITS.correctionMilliseconds === 0;
}

/** A period from one day before now to one day after now. */
export const aroundNow = () => ({ from: Date.now() - DAY, to: Date.now() + DAY });

export const seriesOf = (
  stage: Stage,
  filter: Partial<AnalyticsFilter> = {},
  period = aroundNow(),
): Promise<readonly SeriesTotals[]> => readSeries(stage.services, stage, period, { ...UNFILTERED, ...filter });

/** The number of executions by title and outcome, for example `{ 'pays': { passed: 2 } }`. */
export async function executionsOf(
  stage: Stage,
  filter: Partial<AnalyticsFilter> = {},
  period = aroundNow(),
): Promise<Readonly<Record<string, Readonly<Record<string, number>>>>> {
  const found: Record<string, Record<string, number>> = {};
  for (const { title, totals } of await seriesOf(stage, filter, period)) {
    const name = title.join(' > ');
    const own = found[name] ?? {};
    found[name] = own;
    for (const [outcome, count] of Object.entries(totals.executions)) {
      if (count > 0) own[outcome] = (own[outcome] ?? 0) + count;
    }
  }
  return found;
}

const MERGE_PAUSE = 61_000;

/** Merges the time slices of the read model that have ended or were corrected. */
export function mergeRuns(stage: Stage): Promise<unknown> {
  clock.advance(MERGE_PAUSE);
  return stage.runSchedule('mergeAnalytics');
}
