import { Aws, Duration } from 'aws-cdk-lib';
import { PolicyDocument, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { CfnSchedule, ContextAttribute, type ScheduleGroup } from 'aws-cdk-lib/aws-scheduler';
import { Construct } from 'constructs';
import type { DeclaredSchedule } from '#infra/build/declarations.ts';
import { addToSharedMetric, LogMetrics } from './log-metrics.ts';
import { formatPhysicalName } from './physical-name.ts';
import { RundownFunction } from './rundown-function.ts';
import type { Surroundings } from './surroundings.ts';

/** `delivery`: if EventBridge Scheduler cannot call Lambda. `run`: if the function fails, at most 2. */
const RETRIES = { delivery: 10, run: 2 };

export function addScheduledFunction(
  scope: Construct,
  group: ScheduleGroup,
  { file, declaration }: DeclaredSchedule,
  surroundings: Surroundings,
): { readonly fn: LambdaFunction; readonly metrics: LogMetrics } {
  const { environment } = surroundings;
  const { name, summary, retrySeconds } = declaration;
  const construct = new Construct(scope, name);
  const { fn, logGroup } = new RundownFunction(construct, 'Runs', {
    ...surroundings,
    ...declaration,
    file,
  });
  fn.configureAsyncInvoke({ retryAttempts: RETRIES.run, maxEventAge: Duration.seconds(retrySeconds) });
  // The CDK would create a role with a wildcard, which allows every version of the function to be invoked.
  const invoke = new PolicyStatement({ actions: ['lambda:InvokeFunction'], resources: [fn.functionArn] });
  const role = new Role(construct, 'Role', {
    assumedBy: new ServicePrincipal('scheduler.amazonaws.com', {
      conditions: {
        StringEquals: { 'aws:SourceAccount': Aws.ACCOUNT_ID, 'aws:SourceArn': group.scheduleGroupArn },
      },
    }),
    inlinePolicies: { own: new PolicyDocument({ statements: [invoke] }) },
  });
  new CfnSchedule(construct, 'Schedule', {
    name: formatPhysicalName(environment, name),
    groupName: group.scheduleGroupName,
    description: summary,
    scheduleExpression: declaration.expression,
    scheduleExpressionTimezone: 'UTC',
    flexibleTimeWindow: { mode: 'OFF' },
    target: {
      arn: fn.functionArn,
      roleArn: role.roleArn,
      input: JSON.stringify({ scheduledTime: ContextAttribute.scheduledTime }),
      retryPolicy: { maximumRetryAttempts: RETRIES.delivery, maximumEventAgeInSeconds: retrySeconds },
    },
  });
  const metrics = new LogMetrics(construct, 'Metrics', { environment, name, logGroup, numbers: declaration.metrics });
  addToSharedMetric(construct, 'Unfinished', 'unfinished', { environment, logGroup });
  addToSharedMetric(construct, 'Failures', 'failures', { environment, logGroup });
  return { fn, metrics };
}
