/** Computes the costs that do not come from requests: polling, sweeping and alarms while idle, and run events. */

import type { Units } from './bench-service.ts';
import type { DeployedResources, RunEvent, SweepCost } from './counted-costs.ts';
import { ASSUMED, PRICES } from './prices.ts';
import { sum } from './sum.ts';

interface Work {
  readonly invocations: number;
  readonly trips: number;
  /** The time spent waiting for receivers, which Lambda bills as well. */
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

/** Monthly costs of an idle deployment. */
export function idleDollars({ queuesPolled, alarmMetrics }: DeployedResources, sweeps: readonly SweepCost[]) {
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

/** Each run publishes two events: its start and its end. */
const EVENTS_PER_RUN = 2;
/** The relay, the fan-out and the delivery are invoked once each. */
const INVOCATIONS_PER_EVENT = 3;
/** One message is sent to the event bus, and one to the delivery queue. */
const SENDING_TRIPS = 2;
/** Requests to send, receive and delete the message in each of two queues. */
const QUEUE_REQUESTS_PER_EVENT = 2 * 3;

/**
 * The costs of the events of a run if the project has one webhook. The outbox rows are not included, because the
 * requests that write them already include their cost.
 */
export function runEventDollars({ relayed, fannedOut, delivered }: RunEvent) {
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
