/** What Rundown may cost: `must` holds, or the bench fails; `target` is what the next change should aim at. Smaller is better. */
export interface Budget {
  readonly what: string;
  readonly unit: string;
  readonly must?: number;
  readonly target?: number;
}

export const BUDGETS = {
  functionKilobytes: { what: 'Largest API function, minified', unit: 'KB', must: 280, target: 120 },
  authorizerKilobytes: { what: 'Authorizer, minified', unit: 'KB', must: 200, target: 60 },
  pageUnits: { what: 'History page of 10: read units', unit: 'RRU', must: 1.5, target: 1 },
  pageTrips: { what: 'History page of 10: table round trips', unit: 'trips', must: 2, target: 1 },
  rareUnits: { what: 'Page of 10, filter that 1 % of 9,000 match', unit: 'RRU', must: 110, target: 18 },
  failedUnits: { what: 'Page of 10, failed only, with stacks', unit: 'RRU', must: 8, target: 7 },
  noMatchUnits: { what: 'Filter that none of 9,000 match', unit: 'RRU', must: 510, target: 45 },
  instanceUnits: { what: 'Instance with 25 tests', unit: 'RRU', must: 1, target: 0.5 },
  contextUnits: { what: 'Failure context of a run of 5,000, page of 10', unit: 'RRU', must: 15, target: 10 },
  contextGrowth: { what: 'Added to it by ten times the passed tests', unit: 'RRU', must: 0, target: 0 },
  batchUnits: { what: 'Written per test, batch upload of 5,000', unit: 'WRU', must: 1.8, target: 1.45 },
  streamUnits: { what: 'Written per test, streamed in two messages each', unit: 'WRU' },
  growthExponent: { what: 'Growth of page latency with the rows stored', unit: 'exponent', must: 0.1, target: 0.03 },
  growthUnits: { what: 'Read units added to a page by the rows stored', unit: 'RRU', must: 0, target: 0 },
  redeliveredRows: { what: 'Rows added when a run is delivered again', unit: 'rows', must: 0, target: 0 },
  redeliveredCounters: { what: 'Counters changed when a run is delivered again', unit: 'counters', must: 0, target: 0 },
  sendingTimes: {
    what: 'Webhook requests of a bare sender in the time of one',
    unit: 'requests',
    must: 3.3,
    target: 1.7,
  },
  toldAfter: { what: 'From the last result to RUN_FINISH received, in requests that record one', unit: 'requests' },
  runUnits: { what: 'Written for the start and the end of a run, beyond its results', unit: 'WRU' },
  deliveryUnits: { what: 'Written per webhook delivery', unit: 'WRU' },
  idleMinuteUnits: { what: 'Read by the sweeps of an idle minute', unit: 'RRU' },
} as const satisfies Record<string, Budget>;

type BudgetName = keyof typeof BUDGETS;

export interface Measurement {
  readonly name: BudgetName;
  readonly measured: number;
  /** How it was measured, where the name does not say it. */
  readonly note?: string;
}

/** Rates of this service, and of a bare `node:http` server that answers the same requests in the same rounds. */
export interface Ratio {
  readonly what: string;
  readonly unit: string;
  /** Median over the rounds of own rate / bare rate. */
  readonly ratio: number;
  readonly perSecond: number;
  readonly barePerSecond: number;
}
