/** Measures the cost of scheduled functions that have nothing to do. */
import type { BenchService, Units } from './bench-service.ts';
import { deployedResources, type Schedule } from './deployed-resources.ts';

/** The number of runs in a month of 30 days, for a schedule that runs every minute. */
export const IDLE_MINUTE = 30 * 24 * 60;

export interface SweepCost extends Schedule {
  /** The cost of one run of the schedule. */
  readonly units: Units;
}

export async function sweepCosts({ costOfSchedule }: BenchService): Promise<SweepCost[]> {
  const { schedules } = await deployedResources('dev');
  const costs: SweepCost[] = [];
  for (const schedule of schedules) costs.push({ ...schedule, units: await costOfSchedule(schedule.name) });
  return costs;
}
