/** One declaration per scheduled function. Schedule, Lambda, roles, metrics and alarms derive from it. */
import type { Context } from 'aws-lambda';
import type { Services } from '#shared/services.ts';
import { connectOnce } from './connect.ts';
import type { Access } from './declaration.ts';
import { logFault, logRun } from './log.ts';
import type { Outlet } from './outlets.ts';

export interface ScheduleDeclaration {
  /** The file's name in camelCase. */
  readonly name: string;
  /** An expression of EventBridge Scheduler in UTC: `cron(0 3 * * ? *)`, `rate(1 minute)`. */
  readonly expression: `cron(${string})` | `rate(${string})`;
  readonly access: Access;
  readonly sends?: readonly Outlet[];
  readonly summary: string;
  /** The time limit of one run. */
  readonly timeoutSeconds: number;
  /** How long a failed run is retried: from one minute to six hours. */
  readonly retrySeconds: number;
  /** The members of the report that become metrics. */
  readonly metrics: readonly string[];
}

/** The result of a run, in ids and numbers. It is logged unchanged. */
type RunReport<Metric extends string> = Readonly<Record<Metric, number>> & {
  /** Whether the run finished. False if the time limit ended it early. */
  readonly finished: boolean;
};

/** The input that the template gives to the schedule's target. */
interface ScheduledEvent {
  /** The scheduled time in ISO 8601. */
  readonly scheduledTime: string;
}

interface Run {
  /** Time until Lambda ends the function. */
  readonly remainingMilliseconds: () => number;
  /** Logs an error that does not end the run. */
  readonly onFailure: (error: unknown) => void;
}

interface Specification<Metric extends string> extends ScheduleDeclaration {
  readonly metrics: readonly Metric[];
  /** Runs may overlap and be repeated. After an error, Lambda logs it, counts it and repeats the run. */
  readonly handle: (services: Services, run: Run) => Promise<RunReport<Metric>>;
}

export function schedule<Metric extends string>({ handle, ...declaration }: Specification<Metric>) {
  const connect = connectOnce();

  const handler = async ({ scheduledTime }: ScheduledEvent, context: Context): Promise<RunReport<Metric>> => {
    const services = connect();
    const report = await handle(services, {
      remainingMilliseconds: () => context.getRemainingTimeInMillis(),
      onFailure: (error) => logFault({ schedule: declaration.name, error }),
    });
    logRun({ schedule: declaration.name, scheduledTime, report, meter: services.table.meter });
    return report;
  };

  return Object.assign(handler, { schedule: declaration satisfies ScheduleDeclaration });
}
