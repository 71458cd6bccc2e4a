/** What schedules cost while there is nothing for them to do. */
import type { Stand, Units } from './stand.ts';
import { type Schedule, standingIn } from './standing.ts';

/** Runs a month of what runs every minute. */
export const IDLE_MINUTE = 30 * 24 * 60;

export interface SweepCost extends Schedule {
  /** Of one run. */
  readonly units: Units;
}

export async function sweepCosts({ swept }: Stand): Promise<SweepCost[]> {
  const { schedules } = await standingIn('dev');
  const costs: SweepCost[] = [];
  for (const schedule of schedules) costs.push({ ...schedule, units: await swept(schedule.name) });
  return costs;
}
