/** Runs functions at the times of the template's schedules, as EventBridge Scheduler does. */
import { randomUUID } from 'node:crypto';
import * as z from 'zod';
import { parseTimetable, type Timetable } from '#infra/build/schedule-expression.ts';
import type { FunctionOutput } from '#infra/local/lambda/function-runtime.ts';
import type { Invocation, LocalFunction } from '#infra/local/lambda/lambda.ts';
import { formatScheduleArn } from '#infra/local/template/physical-ids.ts';
import type { Stack } from '#infra/local/template/stack.ts';
import { getFunction, readSupportedProperties } from './imitated.ts';
import { pause } from './poll.ts';

export interface LocalSchedule {
  readonly name: string;
  readonly times: Timetable;
  readonly isEnabled: boolean;
  /** Runs the function. `scheduledTime` is in epoch milliseconds. */
  readonly run: (scheduledTime: number) => Promise<Invocation>;
}

/** Retry policy and role are ignored, because the runner invokes the function directly. */
const Target = z.strictObject({
  Arn: z.string(),
  RoleArn: z.string(),
  Input: z.string(),
  RetryPolicy: z.unknown().optional(),
});

const Properties = z.object({
  ScheduleExpression: z.string(),
  ScheduleExpressionTimezone: z.literal('UTC').default('UTC'),
  FlexibleTimeWindow: z.strictObject({ Mode: z.literal('OFF') }),
  State: z.enum(['ENABLED', 'DISABLED']).default('ENABLED'),
  StartDate: z.undefined(),
  EndDate: z.undefined(),
  GroupName: z.string().default('default'),
  Target,
});

/** The template's schedules. Throws if a schedule is not supported, and names the schedule in the error. */
export function readSchedules(stack: Stack, functions: ReadonlyMap<string, LocalFunction>): LocalSchedule[] {
  return stack.resources('AWS::Scheduler::Schedule').map((schedule) => {
    const { ScheduleExpression, State, GroupName, Target } = readSupportedProperties('schedule', schedule, Properties);
    const fn = getFunction(functions, schedule, Target.Arn);
    const name = schedule.reference;
    const arn = formatScheduleArn(GroupName, name);
    return {
      name,
      times: parseTimetable(ScheduleExpression),
      isEnabled: State === 'ENABLED',
      run: (scheduledTime) => fn.invoke(fillInput(Target.Input, { arn, scheduledTime })),
    };
  });
}

/** EventBridge Scheduler user guide, "Adding context attributes". */
function fillInput(input: string, { arn, scheduledTime }: { arn: string; scheduledTime: number }): string {
  const attributes: Readonly<Record<string, string>> = {
    'schedule-arn': arn,
    'scheduled-time': `${new Date(scheduledTime).toISOString().slice(0, -'.000Z'.length)}Z`,
    'execution-id': randomUUID(),
    'attempt-number': '1',
  };
  return input.replaceAll(/<aws\.scheduler\.([a-z-]+)>/g, (keyword, name: string) => attributes[name] ?? keyword);
}

/** Runs a schedule immediately. Returns the function's result and throws its errors. */
export async function runNow(schedules: readonly LocalSchedule[], name: string): Promise<unknown> {
  const schedule = schedules.find((one) => one.name === name);
  if (!schedule) {
    const scheduleNames = schedules.map((one) => one.name).join(', ') || 'none';
    throw new Error(`The template has no schedule ${name}. It has: ${scheduleNames}`);
  }
  const result = await schedule.run(Date.now());
  if (result.kind === 'failed') throw new Error(result.report);
  return JSON.parse(result.payload);
}

/** The interval between two checks of the clock. EventBridge Scheduler itself has a precision of one minute. */
const LOOK_MILLISECONDS = 1000;

/**
 * Checks the clock once a second, so that schedules also work after a laptop has been asleep: one run makes up for all
 * missed runs. Runs until `signal` aborts. Resolves when the current runs have ended. Never rejects.
 */
export async function keepTime(
  schedules: readonly LocalSchedule[],
  signal: AbortSignal,
  output: FunctionOutput,
): Promise<void> {
  const createdAt = Date.now();
  const activeRuns = new Set<Promise<void>>();
  const enabledSchedules = schedules.filter(({ isEnabled }) => isEnabled);
  const due = new Map(enabledSchedules.map((schedule) => [schedule, schedule.times.after(createdAt - 1, createdAt)]));
  while (due.size > 0 && !signal.aborted) {
    const now = Date.now();
    for (const [schedule, time] of due) {
      if (time === undefined || time > now) continue;
      due.set(schedule, schedule.times.after(now, createdAt));
      const run = schedule.run(time).then((result) => {
        if (result.kind === 'failed') output.onFault(result.report);
        activeRuns.delete(run);
      });
      activeRuns.add(run);
    }
    await pause(LOOK_MILLISECONDS, signal);
  }
  await Promise.all(activeRuns);
}
