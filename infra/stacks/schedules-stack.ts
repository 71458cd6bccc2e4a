import { Duration, NestedStack, RemovalPolicy } from 'aws-cdk-lib';
import { type IMetric, MathExpression } from 'aws-cdk-lib/aws-cloudwatch';
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
    const functions = schedules.map(({ file, declaration }) => {
      const bundle = bundleOf(bundles, file);
      const made = new ScheduledFunction(this, declaration.name, { ...surroundings, declaration, bundle, group });
      this.addLateness(declaration, made, surroundings);
      this.addParked(declaration, made, surroundings);
      return made.fn;
    });
    const neverBegun = group.metricDropped({ statistic: 'Sum', period: ALARM_PERIOD });
    const givenUp = functions.map((fn) => fn.metric('AsyncEventsDropped', { statistic: 'Sum', period: ALARM_PERIOD }));
    addAlarm(this, 'Dropped', surroundings, {
      metric: sumOf([neverBegun, ...givenUp]),
      threshold: 1,
      harm: 'Background work was skipped: a scheduled run failed at every attempt.',
      runbook: 'dropped-runs',
    });
  }

  /** The alarm of sweeps that park rows after many failures. Without this alarm nobody notices an unsent row. */
  private addParked({ name, metrics }: ScheduleDeclaration, made: ScheduledFunction, surroundings: Surroundings): void {
    if (!metrics.includes('parked')) return;
    addAlarm(this, `${name}Parked`, surroundings, {
      subject: name,
      metric: made.metrics.of('parked').metric({ statistic: 'Sum', period: ALARM_PERIOD }),
      threshold: 1,
      harm: 'A webhook event is not sent: it failed at every attempt and is parked.',
      runbook: 'parked-rows',
    });
  }

  /** The alarm of sweeps, which report the age of the oldest due row. */
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

/** Counts missing values as 0, because each metric exists only after a drop. */
function sumOf(metrics: readonly IMetric[]): MathExpression {
  const named = metrics.map((metric, index): [string, IMetric] => [`m${index}`, metric]);
  return new MathExpression({
    expression: named.map(([name]) => `FILL(${name}, 0)`).join(' + '),
    usingMetrics: Object.fromEntries(named),
    period: ALARM_PERIOD,
  });
}
