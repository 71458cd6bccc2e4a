/** What Rundown may cost: `must` holds, or the bench fails; `target` is what the next change should aim at. Smaller is better. */
export interface Budget {
  readonly what: string;
  readonly unit: string;
  readonly must?: number;
  readonly target?: number;
}

export const BUDGETS = {
  functionKilobytes: { what: 'Largest API function, minified', unit: 'KB', must: 400, target: 280 },
  authorizerKilobytes: { what: 'Authorizer, minified', unit: 'KB', must: 250, target: 160 },
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
  streamUnits25: { what: 'Written per streamed test, 25 tests per file', unit: 'WRU', must: 4.5, target: 3.5 },
  streamTrips25: { what: 'Trips per streamed test, 25 tests per file', unit: 'trips', must: 6.5, target: 5 },
  streamUnits250: { what: 'Written per streamed test, 250 tests per file', unit: 'WRU', must: 4.5, target: 3.5 },
  streamTrips250: { what: 'Trips per streamed test, 250 tests per file', unit: 'trips', must: 6.5, target: 5 },
  streamUnits1000: { what: 'Written per streamed test, 1,000 tests per file', unit: 'WRU', must: 4.5, target: 3.5 },
  streamTrips1000: { what: 'Trips per streamed test, 1,000 tests per file', unit: 'trips', must: 6.5, target: 5 },
  streamUnits5000: { what: 'Written per streamed test, 5,000 tests per file', unit: 'WRU', must: 4.5, target: 3.5 },
  streamTrips5000: { what: 'Trips per streamed test, 5,000 tests per file', unit: 'trips', must: 6.5, target: 5 },
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
  besideSlow: {
    what: 'p99 of deliveries while all receivers of another organization are slow, over alone',
    unit: 'times',
    must: 3,
    target: 1.5,
  },
  toldAfter: { what: 'From the last result to RUN_FINISH received, in requests that record one', unit: 'requests' },
  runUnits: { what: 'Written for the start and the end of a run, beyond its results', unit: 'WRU' },
  deliveryUnits: { what: 'Written per webhook delivery', unit: 'WRU' },
  bodyMilliseconds: {
    what: 'Longest that a request body keeps a function busy',
    unit: 'ms CPU',
    must: 300,
    target: 100,
  },
  bodyMegabytes: { what: 'Most memory that a request body takes, beyond its size', unit: 'MB', must: 64 },
  strangersMilliseconds: { what: 'Longest that a body of a stranger does', unit: 'ms CPU', must: 300, target: 100 },
  strangersMegabytes: { what: 'Most memory that a body of a stranger takes', unit: 'MB', must: 64 },
  suiteMilliseconds: { what: 'To read the suite of a run of 100,000 tests', unit: 'ms CPU' },
  uploadMilliseconds: { what: 'To read an upload of 10 MB', unit: 'ms CPU' },
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
