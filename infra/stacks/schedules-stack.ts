import { Duration, NestedStack, RemovalPolicy } from 'aws-cdk-lib';
import { type IMetric, MathExpression } from 'aws-cdk-lib/aws-cloudwatch';
import { ScheduleGroup } from 'aws-cdk-lib/aws-scheduler';
import type { Construct } from 'constructs';
import type { ScheduleDeclaration } from '#shared/schedule.ts';
import { type Bundles, bundleOf } from '../bundle.ts';
import { ALARM_PERIOD, addAlarm } from '../constructs/alarm.ts';
import type { Surroundings } from '../constructs/rundown-function.ts';
import { ScheduledFunction } from '../constructs/scheduled-function.ts';
import type { DeclaredSchedule } from '../declarations.ts';

const LATE_AFTER = Duration.minutes(10);

export interface SchedulesStackProps extends Surroundings {
  readonly schedules: readonly DeclaredSchedule[];
  readonly bundles: Bundles;
}

/** One function per file of `functions/schedules`, and the schedule that runs it. */
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
      return made.fn;
    });
    const neverBegun = group.metricDropped({ statistic: 'Sum', period: ALARM_PERIOD });
    const givenUp = functions.map((fn) => fn.metric('AsyncEventsDropped', { statistic: 'Sum', period: ALARM_PERIOD }));
    addAlarm(this, 'Dropped', surroundings.alarmTopic, {
      metric: sumOf([neverBegun, ...givenUp]),
      threshold: 1,
      whoIsHurt: 'Work that nobody waits for is not done: a scheduled run was given up, after all attempts.',
      runbook: 'dropped-runs',
    });
  }

  /** Of sweeps, which say how old the oldest is that they found. */
  private addLateness(
    { name, metrics, summary }: ScheduleDeclaration,
    made: ScheduledFunction,
    { alarmTopic }: Surroundings,
  ): void {
    if (!metrics.includes('lateSeconds')) return;
    addAlarm(this, `${name}Late`, alarmTopic, {
      metric: made.metrics.of('lateSeconds').metric({ statistic: 'Maximum', period: ALARM_PERIOD }),
      threshold: LATE_AFTER.toSeconds(),
      whoIsHurt: `Work that nobody waits for is late (${summary}): the oldest is ${LATE_AFTER.toMinutes()} minutes late.`,
      runbook: 'late-work',
    });
  }
}

/** What has no value counts as 0: each of these metrics is there only when something was dropped. */
function sumOf(metrics: readonly IMetric[]): MathExpression {
  const named = metrics.map((metric, index): [string, IMetric] => [`m${index}`, metric]);
  return new MathExpression({
    expression: named.map(([name]) => `FILL(${name}, 0)`).join(' + '),
    usingMetrics: Object.fromEntries(named),
    period: ALARM_PERIOD,
  });
}
