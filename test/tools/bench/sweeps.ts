/** Measures the cost of scheduled functions that have nothing to do. */
import type { BenchService } from './bench-service.ts';
import type { SweepCost } from './counted-costs.ts';
import { deployment } from './deployed-resources.ts';

/** The number of runs in a month of 30 days, for a schedule that runs every minute. */
export const IDLE_MINUTE = 30 * 24 * 60;

export async function sweepCosts({ costOfSchedule }: BenchService): Promise<SweepCost[]> {
  const { schedules } = await deployment('dev');
  const costs: SweepCost[] = [];
  for (const schedule of schedules) costs.push({ ...schedule, units: await costOfSchedule(schedule.name) });
  return costs;
}
