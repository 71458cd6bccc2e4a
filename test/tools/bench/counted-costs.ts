/** What `npm run cost` counted when it ran last. The costs in the documents are computed from this file. */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';

/** Averages per test. */
const PerTest = z.object({
  testsPerRun: z.number(),
  calls: z.number(),
  invocations: z.number(),
  trips: z.number(),
  readUnits: z.number(),
  writeUnits: z.number(),
  bytes: z.number(),
  /** Items in the table. DynamoDB adds 100 bytes to each when it bills the storage. */
  items: z.number(),
  /** Bytes logged by the functions, without the lines that Lambda itself logs. */
  logBytes: z.number(),
});
export type PerTest = z.infer<typeof PerTest>;

const Units = z.object({ readUnits: z.number(), writeUnits: z.number(), trips: z.number() });

const Schedule = z.object({ name: z.string(), runsAMonth: z.number() });
export type Schedule = z.infer<typeof Schedule>;

/** The resources of a deployment, from which its costs and its concurrency are computed. */
const DeployedResources = z.object({
  queuesPolled: z.number(),
  alarms: z.number(),
  /** CloudWatch bills each metric in the expression of an alarm. */
  alarmMetrics: z.number(),
  /** Metrics that are filtered from logs. CloudWatch bills one for the hours in which it has values. */
  logMetrics: z.number(),
  routes: z.number(),
  /** The maximum number of concurrent consumers, over all queues. */
  consumersAtOnce: z.number(),
  /** The length of an access log line, if each value is as long as the name of its variable. */
  accessLogBytes: z.number(),
});
export type DeployedResources = z.infer<typeof DeployedResources>;

/** One event of a run in the relay, in the fan-out and in the delivery. */
const RunEvent = z.object({ relayed: Units, fannedOut: Units, delivered: Units });
export type RunEvent = z.infer<typeof RunEvent>;

/** The cost of one run of a schedule that has nothing to do. */
const SweepCost = z.object({ ...Schedule.shape, units: Units });
export type SweepCost = z.infer<typeof SweepCost>;

/** A file of a test: its share of the request that announces it, and its confirmation. */
const FileCosts = z.object({ announced: Units, confirmed: Units });
export type FileCosts = z.infer<typeof FileCosts>;

const CountedCosts = z.object({
  /** The ways to record tests. */
  ways: z.object({
    oursQuick: PerTest,
    oursSlow: PerTest,
    uploaded: PerTest,
    publishedQuick: PerTest,
    publishedSlow: PerTest,
  }),
  runEvent: RunEvent,
  file: FileCosts,
  /** The page of a run, and a poll of that of a run in progress. */
  page: Units,
  poll: Units,
  sweeps: z.array(SweepCost),
  /** Write units per request to count it for the limits of organization and credential. */
  countingUnits: z.number(),
  dev: DeployedResources,
  prod: DeployedResources,
});
export type CountedCosts = z.infer<typeof CountedCosts>;

const FILE = join(import.meta.dirname, 'counted-costs.json');

export const readCountedCosts = async (): Promise<CountedCosts> =>
  CountedCosts.parse(JSON.parse(await readFile(FILE, 'utf8')));

const DIGITS = 6;

/** Stores the counts with six digits, because more would differ between any two runs. */
export async function storeCountedCosts(counted: CountedCosts): Promise<void> {
  const rounded = (_: string, value: unknown) =>
    typeof value === 'number' ? Number(value.toPrecision(DIGITS)) : value;
  await writeFile(FILE, `${JSON.stringify(CountedCosts.parse(counted), rounded, 2)}\n`);
}
