import { Aws, Duration } from 'aws-cdk-lib';
import { PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { FilterPattern } from 'aws-cdk-lib/aws-logs';
import { CfnSchedule, ContextAttribute, type ScheduleGroup } from 'aws-cdk-lib/aws-scheduler';
import { Construct } from 'constructs';
import type { Bundle } from '#infra/build/bundles.ts';
import type { ScheduleDeclaration } from '#shared/platform/schedule.ts';
import { ALARM_PERIOD, addAlarm } from './alarm.ts';
import { LogMetrics } from './log-metrics.ts';
import { physicalName } from './physical-name.ts';
import { RundownFunction, type Surroundings } from './rundown-function.ts';

/**
 * `delivery`: retries of EventBridge Scheduler if it cannot call Lambda. `run`: retries of Lambda if the function
 * fails, at most 2.
 */
const RETRIES = { delivery: 10, run: 2 };

export interface ScheduledFunctionProps extends Surroundings {
  readonly declaration: ScheduleDeclaration;
  readonly bundle: Bundle;
  readonly group: ScheduleGroup;
}

/** A function with its schedule, and the metrics of its runs. */
export class ScheduledFunction extends Construct {
  readonly fn: LambdaFunction;
  readonly metrics: LogMetrics;

  constructor(scope: Construct, id: string, { declaration, bundle, group, ...surroundings }: ScheduledFunctionProps) {
    super(scope, id);
    const { name, access, sends, summary, timeoutSeconds, memoryMegabytes, retrySeconds } = declaration;
    const made = new RundownFunction(this, 'Runs', {
      ...surroundings,
      name,
      bundle,
      access,
      sends,
      timeoutSeconds,
      ...(memoryMegabytes === undefined ? {} : { memoryMegabytes }),
      errors: { harm: `Background work failed (${summary}).` },
    });
    this.fn = made.fn;
    this.fn.configureAsyncInvoke({ retryAttempts: RETRIES.run, maxEventAge: Duration.seconds(retrySeconds) });
    const { environment } = surroundings;
    new CfnSchedule(this, 'Schedule', {
      name: physicalName(environment, name),
      groupName: group.scheduleGroupName,
      description: summary,
      scheduleExpression: declaration.expression,
      scheduleExpressionTimezone: 'UTC',
      flexibleTimeWindow: { mode: 'OFF' },
      target: {
        arn: this.fn.functionArn,
        roleArn: this.roleToInvoke(group).roleArn,
        input: JSON.stringify({ scheduledTime: ContextAttribute.scheduledTime }),
        retryPolicy: { maximumRetryAttempts: RETRIES.delivery, maximumEventAgeInSeconds: retrySeconds },
      },
    });
    const { logGroup } = made;
    this.metrics = new LogMetrics(this, 'Metrics', { environment, name, logGroup, numbers: declaration.metrics });
    this.addAlarm(declaration, surroundings);
  }

  /**
   * The role with which the schedule invokes the function. The CDK would create a role with a wildcard, which allows
   * every version of the function to be invoked.
   */
  private roleToInvoke(group: ScheduleGroup): Role {
    const invoke = new PolicyStatement({ actions: ['lambda:InvokeFunction'], resources: [this.fn.functionArn] });
    return new Role(this, 'Role', {
      assumedBy: new ServicePrincipal('scheduler.amazonaws.com', {
        conditions: {
          StringEquals: { 'aws:SourceAccount': Aws.ACCOUNT_ID, 'aws:SourceArn': group.scheduleGroupArn },
        },
      }),
      inlinePolicies: { own: new PolicyDocument({ statements: [invoke] }) },
    });
  }

  private addAlarm({ name, summary }: ScheduleDeclaration, surroundings: Surroundings): void {
    const unfinished = this.metrics.add('unfinished', FilterPattern.booleanValue('$.message.finished', false));
    addAlarm(this, 'Unfinished', surroundings, {
      subject: name,
      metric: unfinished.metric({ statistic: 'Sum', period: ALARM_PERIOD }),
      threshold: 1,
      harm: `Background work is late (${summary}): an execution reached its time limit before it finished.`,
      runbook: 'unfinished-runs',
    });
  }
}
