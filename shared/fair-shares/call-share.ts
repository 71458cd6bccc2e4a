/**
 * How many concurrent calls of a queue's function one organization may occupy: an equal part of all calls. The only
 * organization of a deployment may occupy all of them.
 */
import type { WithTable } from '#shared/engine/table/table.ts';
import { activeOrganizations } from '#shared/model/organizations/active-organizations.ts';
import type { WithClock } from '#shared/services.ts';
import { FAIR_SHARES } from './limits.ts';

/** Each instance of a function has one share, which remembers the number of organizations. */
export class CallShare {
  readonly #callsInTotal: number;
  #reading: { readonly at: number; readonly count: Promise<number | undefined> } | undefined;

  /** `callsInTotal` is the maximum concurrency of the function. */
  constructor(callsInTotal: number) {
    this.#callsInTotal = callsInTotal;
  }

  /** At least `least`, so that an organization among many is not slowed down while the others have no work. */
  async countCalls(services: WithClock, least: number): Promise<number> {
    const organizations = await this.#countOrganizations(services);
    if (organizations === undefined) return least;
    if (organizations <= 1) return Number.POSITIVE_INFINITY;
    const part = Math.floor(this.#callsInTotal / organizations);
    return Math.max(least, Math.min(part, FAIR_SHARES.mostSlots));
  }

  #countOrganizations({ table, now }: WithClock): Promise<number | undefined> {
    const at = now();
    if (this.#reading && Math.abs(at - this.#reading.at) < FAIR_SHARES.freshMilliseconds) return this.#reading.count;
    const count = readCount({ table });
    const reading = { at, count };
    this.#reading = reading;
    // The next call reads again after an error.
    count.catch(() => {
      if (this.#reading === reading) this.#reading = undefined;
    });
    return count;
  }
}

const readCount = async ({ table }: WithTable): Promise<number | undefined> =>
  (await table.get(activeOrganizations, {}))?.count;
