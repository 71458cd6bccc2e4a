import { Duration, NestedStack, RemovalPolicy } from 'aws-cdk-lib';
import { ScheduleGroup } from 'aws-cdk-lib/aws-scheduler';
import type { Construct } from 'constructs';
import type { DeclaredSchedule } from '#infra/build/declarations.ts';
import { ALARM_PERIOD, addAlarm, ERROR_PERIOD, MAXIMUM, SEVERAL_ERRORS, SUM } from '#infra/constructs/alarm.ts';
import { findSharedMetric } from '#infra/constructs/log-metrics.ts';
import { addScheduledFunction } from '#infra/constructs/scheduled-function.ts';
import type { Surroundings } from '#infra/constructs/surroundings.ts';

const LATE_AFTER = Duration.minutes(10);

interface SchedulesStackProps extends Surroundings {
  readonly schedules: readonly DeclaredSchedule[];
}

/** One function and one schedule per file of `functions/schedules`. */
export class SchedulesStack extends NestedStack {
  constructor(scope: Construct, id: string, { schedules, ...surroundings }: SchedulesStackProps) {
    super(scope, id);
    const group = new ScheduleGroup(this, 'Group', {
      scheduleGroupName: `rundown-${surroundings.environment.name}`,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    for (const schedule of schedules) {
      const { declaration } = schedule;
      const { name: subject, summary } = declaration;
      const { fn, metrics } = addScheduledFunction(this, group, schedule, surroundings);
      if (declaration.metrics.includes('lateSeconds'))
        addAlarm(this, `${subject}Late`, surroundings, {
          subject,
          metric: metrics.find('lateSeconds').metric(MAXIMUM),
          threshold: LATE_AFTER.toSeconds(),
          harm: `Background work is late (${summary}): the oldest item is ${LATE_AFTER.toMinutes()} minutes late.`,
          runbook: 'late-work',
        });
      // Nothing else reports that a row was not sent: after many failed attempts, a sweep sets it aside ("parks" it).
      if (declaration.metrics.includes('parked'))
        addAlarm(this, `${subject}Parked`, surroundings, {
          subject,
          metric: metrics.find('parked').metric(SUM),
          threshold: 1,
          harm: 'An event, a webhook or a notification was not sent: every attempt failed, and its row is parked.',
          runbook: 'parked-rows',
        });
      if (declaration.metrics.includes('nearlyFull'))
        addAlarm(this, `${subject}NearlyFull`, surroundings, {
          metric: metrics.find('nearlyFull').metric(SUM),
          threshold: 1,
          harm: 'Files of an organization may be refused: it has used 80 % or more of its storage. Results are still recorded.',
          runbook: 'storage-limit',
        });
      // There is one alarm per function, because an alarm can sum at most ten metrics and is billed per metric.
      addAlarm(this, `${subject}Dropped`, surroundings, {
        subject,
        metric: fn.metric('AsyncEventsDropped', SUM),
        threshold: 1,
        harm: `Background work was skipped (${summary}): an execution failed at every attempt.`,
        runbook: 'dropped-runs',
      });
    }
    const { environment } = surroundings;
    // One alarm each for all functions without a client that waits. CloudWatch bills an alarm by its metrics.
    addAlarm(this, 'Failures', surroundings, {
      subject: 'background',
      metric: findSharedMetric(environment, 'failures').with({ period: ERROR_PERIOD }),
      threshold: SEVERAL_ERRORS,
      harm: `Background work is late: functions of queues, schedules or the stream failed ${SEVERAL_ERRORS} times within an hour.`,
      runbook: 'function-errors',
    });
    addAlarm(this, 'Unfinished', surroundings, {
      metric: findSharedMetric(environment, 'unfinished').with({ period: ALARM_PERIOD }),
      threshold: 1,
      harm: 'Background work is late, such as exports or deletions: a schedule reached its time limit before it finished.',
      runbook: 'unfinished-runs',
    });
    addAlarm(this, 'Dropped', surroundings, {
      metric: group.metricDropped(SUM),
      threshold: 1,
      harm: 'Background work was skipped: a scheduled function could not be started.',
      runbook: 'dropped-runs',
    });
  }
}
