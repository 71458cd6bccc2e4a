import { Duration, NestedStack, RemovalPolicy } from 'aws-cdk-lib';
import { ScheduleGroup } from 'aws-cdk-lib/aws-scheduler';
import type { Construct } from 'constructs';
import { type Bundles, bundleOf } from '#infra/build/bundle.ts';
import type { DeclaredSchedule } from '#infra/build/declarations.ts';
import { ALARM_PERIOD, addAlarm } from '#infra/constructs/alarm.ts';
import type { Surroundings } from '#infra/constructs/rundown-function.ts';
import { ScheduledFunction } from '#infra/constructs/scheduled-function.ts';
import type { ScheduleDeclaration } from '#shared/platform/schedule.ts';

const LATE_AFTER = Duration.minutes(10);

export interface SchedulesStackProps extends Surroundings {
  readonly schedules: readonly DeclaredSchedule[];
  readonly bundles: Bundles;
}

/** One function and one schedule per file of `functions/schedules`. */
export class SchedulesStack extends NestedStack {
  constructor(scope: Construct, id: string, { schedules, bundles, ...surroundings }: SchedulesStackProps) {
    super(scope, id);
    const group = new ScheduleGroup(this, 'Group', {
      scheduleGroupName: `rundown-${surroundings.environment.name}`,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    for (const { file, declaration } of schedules) {
      const bundle = bundleOf(bundles, file);
      const made = new ScheduledFunction(this, declaration.name, { ...surroundings, declaration, bundle, group });
      this.addLateness(declaration, made, surroundings);
      this.addParked(declaration, made, surroundings);
      // One alarm per function, because an alarm can sum at most ten metrics and is billed per metric.
      addAlarm(this, `${declaration.name}Dropped`, surroundings, {
        subject: declaration.name,
        metric: made.fn.metric('AsyncEventsDropped', { statistic: 'Sum', period: ALARM_PERIOD }),
        threshold: 1,
        harm: `Background work was skipped (${declaration.summary}): an execution failed at every attempt.`,
        runbook: 'dropped-runs',
      });
    }
    addAlarm(this, 'Dropped', surroundings, {
      metric: group.metricDropped({ statistic: 'Sum', period: ALARM_PERIOD }),
      threshold: 1,
      harm: 'Background work was skipped: a scheduled function could not be started.',
      runbook: 'dropped-runs',
    });
  }

  /** Adds an alarm to a sweep that parks rows after many failures. Nothing else reports an unsent row. */
  private addParked({ name, metrics }: ScheduleDeclaration, made: ScheduledFunction, surroundings: Surroundings): void {
    if (!metrics.includes('parked')) return;
    addAlarm(this, `${name}Parked`, surroundings, {
      subject: name,
      metric: made.metrics.of('parked').metric({ statistic: 'Sum', period: ALARM_PERIOD }),
      threshold: 1,
      harm: 'A webhook event was not sent: every attempt failed, and the event is parked.',
      runbook: 'parked-rows',
    });
  }

  /** Adds an alarm to a sweep that reports how late the oldest due row is. */
  private addLateness(
    { name, metrics, summary }: ScheduleDeclaration,
    made: ScheduledFunction,
    surroundings: Surroundings,
  ): void {
    if (!metrics.includes('lateSeconds')) return;
    addAlarm(this, `${name}Late`, surroundings, {
      subject: name,
      metric: made.metrics.of('lateSeconds').metric({ statistic: 'Maximum', period: ALARM_PERIOD }),
      threshold: LATE_AFTER.toSeconds(),
      harm: `Background work is late (${summary}): the oldest item is ${LATE_AFTER.toMinutes()} minutes late.`,
      runbook: 'late-work',
    });
  }
}
