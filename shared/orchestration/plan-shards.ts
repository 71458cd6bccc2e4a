/**
 * Divides a suite among the shards of a CI build, so that all of them take about the same time. The first shard that
 * asks stores the plan. All others get the same one, also in later tries of the build.
 */
import type * as z from 'zod';
import { invalidRequest } from '#shared/engine/errors.ts';
import { ABSENT } from '#shared/engine/table/writes.ts';
import { findProjectInUse } from '#shared/find-project.ts';
import { type ShardPlan, shardPlans } from '#shared/model/orchestration/shard-plan.ts';
import { RECORDING_LIMITS } from '#shared/recording/limits.ts';
import { findTry } from '#shared/recording/tries.ts';
import type { Services } from '#shared/services.ts';
import { otherShards } from './errors.ts';
import { ORCHESTRATION_LIMITS } from './limits.ts';
import { makeDurationPredictor, readTypicalDurations } from './predict-durations.ts';
import type { PlannedShards, PlanShardsBody } from './shard-plan-wire.ts';

interface Request {
  readonly organizationId: string;
  readonly projectId: string;
  readonly body: PlanShardsBody;
}

export async function planShards(
  services: Services,
  { organizationId, projectId, body }: Request,
): Promise<z.input<typeof PlannedShards>> {
  const { table, now } = services;
  const project = { organizationId, projectId };
  await findProjectInUse(services, project);
  const { ciBuildId, lane, suite, total, files } = body;
  const unitCount = files.reduce((sum, { units }) => sum + units.length, 0);
  if (unitCount > ORCHESTRATION_LIMITS.unitsPerPlan)
    throw invalidRequest(`A plan has at most ${ORCHESTRATION_LIMITS.unitsPerPlan} units. Send whole files`);
  const foundTry = await findTry(services, {
    ...project,
    ciBuildId,
    job: body.job ?? undefined,
    again: body.try ?? undefined,
  });
  const key = { ...project, build: foundTry.tryOf?.build ?? ciBuildId, lane };
  const storedPlan = await table.get(shardPlans, key, { consistent: true });
  if (storedPlan) return presentPlan(storedPlan, body);
  const durations = await readTypicalDurations(services, project);
  const { shards, planned, builtIn } = divideSuite(files, total, durations);
  const expiresAt = Math.ceil(now() / 1000) + RECORDING_LIMITS.triesOfJobSeconds;
  const row = { ...key, suite, total, shards: formatShards(shards), planned, builtIn, expiresAt };
  const outcome = await table.put(shardPlans, row, ABSENT);
  return presentPlan(outcome.done ? row : (outcome.item ?? row), body);
}

function presentPlan(plan: ShardPlan, { suite, total }: PlanShardsBody): z.input<typeof PlannedShards> {
  if (plan.suite !== suite || plan.total !== total) throw otherShards();
  return { shards: parseShards(plan.shards), plannedMs: [...plan.planned] };
}

const formatShards = (shards: readonly (readonly number[])[]): string =>
  shards.map((units) => units.join(',')).join(';');
const parseShards = (text: string): number[][] => text.split(';').map((units) => units.split(',').map(Number));

interface Division {
  readonly shards: number[][];
  readonly planned: number[];
  /** The expected durations of the shards by the split of the runner. */
  readonly builtIn: number[];
}

/** The longest unit first, each to the shard with the least work. Equal units keep their order, so nothing is random. */
export function divideSuite(
  files: PlanShardsBody['files'],
  total: number,
  typicalDurations: ReadonlyMap<string, number>,
): Division {
  const suiteFiles = files.map((file) => ({ ...file, tests: file.units.reduce((sum, tests) => sum + tests, 0) }));
  const predictDuration = makeDurationPredictor(suiteFiles, typicalDurations);
  const units = suiteFiles.flatMap((file, fileIndex) => {
    const duration = predictDuration(file);
    return file.units.map((tests, unit) => ({ fileIndex, unit, tests, milliseconds: (duration * tests) / file.tests }));
  });
  const shards = files.map(({ units: all }) => all.map(() => 1));
  const loads = Array.from({ length: total }, () => 0);
  const longestFirst = units.toSorted((one, other) => other.milliseconds - one.milliseconds);
  for (const { fileIndex, unit, milliseconds } of longestFirst) {
    const shard = loads.indexOf(Math.min(...loads));
    loads[shard] = (loads[shard] ?? 0) + milliseconds;
    const shardsOfFile = shards[fileIndex];
    if (shardsOfFile) shardsOfFile[unit] = shard + 1;
  }
  return { shards, planned: loads.map(Math.round), builtIn: predictBuiltInSplit(units, total) };
}

/** `--shard` of Playwright gives each shard as many tests, in their order. A unit belongs to the shard of its first test. */
function predictBuiltInSplit(
  units: readonly { readonly tests: number; readonly milliseconds: number }[],
  total: number,
): number[] {
  const testCount = units.reduce((sum, { tests }) => sum + tests, 0);
  const size = Math.floor(testCount / total);
  const starts = Array.from({ length: total }, (_, shard) => size * shard + Math.min(testCount % total, shard));
  const loads = starts.map(() => 0);
  let position = 0;
  for (const { tests, milliseconds } of units) {
    const at = position;
    const shard = starts.findLastIndex((start) => start <= at);
    loads[shard] = (loads[shard] ?? 0) + milliseconds;
    position += tests;
  }
  return loads.map(Math.round);
}
