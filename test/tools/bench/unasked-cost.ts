/** What is paid for beside requests: what polls and sweeps while nothing happens, and what tells receivers of runs. */
import { ASSUMED, PRICES } from './prices.ts';
import type { Units } from './stand.ts';
import type { Standing } from './standing.ts';
import { sum } from './sum.ts';
import type { SweepCost } from './sweeps.ts';
import type { ToldCosts } from './told.ts';

interface Work {
  readonly invocations: number;
  readonly trips: number;
  /** Beside what the functions do themselves. */
  readonly waitedMilliseconds?: number;
}

export function lambdaDollars({ invocations, trips, waitedMilliseconds = 0 }: Work): number {
  const { millisecondsPerInvocation, millisecondsPerTrip, functionGigabytes } = ASSUMED;
  const milliseconds = invocations * millisecondsPerInvocation + trips * millisecondsPerTrip + waitedMilliseconds;
  const gigabyteSeconds = (milliseconds / 1000) * functionGigabytes;
  return invocations * PRICES.lambdaRequest + gigabyteSeconds * PRICES.lambdaGigabyteSecond;
}

export const tableDollars = ({ readUnits, writeUnits }: Pick<Units, 'readUnits' | 'writeUnits'>): number =>
  readUnits * PRICES.readUnit + writeUnits * PRICES.writeUnit;

/** Of a month, by what costs it. */
export function idleDollars({ queuesPolled, alarmMetrics }: Standing, sweeps: readonly SweepCost[]) {
  return {
    queues: queuesPolled * ASSUMED.queuePollsPerMonth * PRICES.queueRequest,
    schedules: sum(
      sweeps.map(({ runsAMonth, units: { trips, ...units } }) => {
        const perRun = PRICES.scheduledRun + lambdaDollars({ invocations: 1, trips }) + tableDollars(units);
        return runsAMonth * perRun;
      }),
    ),
    alarms: alarmMetrics * PRICES.alarmMetricMonth,
  };
}

/** A run starts and ends. */
const EVENTS_PER_RUN = 2;
/** Relayed, fanned out, delivered. */
const INVOCATIONS_PER_EVENT = 3;
/** To the bus, and to the queue of deliveries. */
const SENDING_TRIPS = 2;
/** Sent, received and deleted, in each of two queues. */
const QUEUE_REQUESTS_PER_EVENT = 2 * 3;

/** Of what follows from a run with one webhook; its rows of the outbox are written by the requests that it consists of. */
export function toldDollars({ relayed, fannedOut, delivered }: ToldCosts) {
  const units = [relayed, fannedOut, delivered];
  const all = (name: keyof Units) => sum(units.map((unit) => unit[name]));
  const work = {
    invocations: INVOCATIONS_PER_EVENT,
    trips: all('trips') + SENDING_TRIPS,
    waitedMilliseconds: ASSUMED.millisecondsPerReceiver,
  };
  return {
    bus: EVENTS_PER_RUN * PRICES.busEvent,
    queues: EVENTS_PER_RUN * QUEUE_REQUESTS_PER_EVENT * PRICES.queueRequest,
    lambda: EVENTS_PER_RUN * lambdaDollars(work),
    table: EVENTS_PER_RUN * tableDollars({ readUnits: all('readUnits'), writeUnits: all('writeUnits') }),
  };
}
