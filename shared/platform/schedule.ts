/** Declares a scheduled function. Schedule, Lambda function, roles, metrics and alarms are generated from it. */

import type { Context } from 'aws-lambda';
import type { Time } from '#shared/engine/table/sweep.ts';
import type { Services } from '#shared/services.ts';
import type { Access } from './access.ts';
import { connectOnce } from './connect.ts';
import { logFailure, logRun } from './log.ts';
import type { Outlet } from './outlets.ts';

export interface ScheduleDeclaration {
  /** The name of the source file, in camelCase. */
  readonly name: string;
  /** An EventBridge Scheduler expression in UTC, such as `cron(0 3 * * ? *)` or `rate(1 minute)`. */
  readonly expression: `cron(${string})` | `rate(${string})`;
  readonly access: Access;
  readonly sends?: readonly Outlet[];
  readonly summary: string;
  readonly timeoutSeconds: number;
  /** Memory of the function. Lambda allocates CPU in proportion to it. Default: that of most functions. */
  readonly memoryMegabytes?: number;
  /** For how long a failed invocation is retried: one minute to six hours. */
  readonly retrySeconds: number;
  /** Names of the properties of the `RunReport` that become metrics. */
  readonly metrics: readonly string[];
}

/** The result of an invocation, which is logged unchanged. */
type RunReport<Metric extends string> = Readonly<Record<Metric, number>> & {
  /** False if the invocation stopped early because of its time limit. */
  readonly finished: boolean;
};

/** The event that EventBridge Scheduler sends. The infrastructure template defines its format. */
interface ScheduledEvent {
  /** The scheduled time in ISO 8601. Absent if somebody invokes the function by hand. */
  readonly scheduledTime?: string;
}

interface Specification<Metric extends string> extends ScheduleDeclaration {
  readonly metrics: readonly Metric[];
  /**
   * Handles one invocation. Must be idempotent, because invocations may overlap and be repeated. If this function
   * throws, Lambda logs and counts the error, and retries the invocation.
   */
  readonly handle: (
    services: Services,
    time: Required<Time> & { readonly isByHand: boolean },
  ) => Promise<RunReport<Metric>>;
}

export function schedule<Metric extends string>({ handle, ...declaration }: Specification<Metric>) {
  const connect = connectOnce();

  const handler = async ({ scheduledTime }: ScheduledEvent, context: Context): Promise<RunReport<Metric>> => {
    const correlationId = context.awsRequestId;
    const services = connect(correlationId);
    const report = await handle(services, {
      remainingMilliseconds: () => context.getRemainingTimeInMillis(),
      onFailure: (error) => logFailure('not done', { schedule: declaration.name, correlationId }, error),
      isByHand: scheduledTime === undefined,
    });
    logRun({ schedule: declaration.name, scheduledTime, correlationId, report, meter: services.table.meter });
    return report;
  };

  return Object.assign(handler, { schedule: declaration satisfies ScheduleDeclaration });
}
