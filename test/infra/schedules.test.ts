import { beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { type DeclaredSchedule, loadFunctions } from '#infra/build/declarations.ts';
import { findAssembly } from '#test/harness/stage.ts';
import { type Named, type Synthesized, synthesized, synthesizedIn } from './synthesized.ts';

let prod: Synthesized;
let dev: Synthesized;
let schedules: readonly DeclaredSchedule[];
beforeAll(async () => {
  prod = await synthesized({ env: 'prod' });
  dev = await synthesizedIn(await findAssembly());
  schedules = (await loadFunctions()).schedules;
});

const Target = z.object({
  Arn: z.unknown(),
  RoleArn: z.unknown(),
  Input: z.string(),
  RetryPolicy: z.object({ MaximumRetryAttempts: z.number(), MaximumEventAgeInSeconds: z.number() }),
});

function scheduleNamed(name: string) {
  const found = prod.all('AWS::Scheduler::Schedule').filter(({ Properties }) => Properties.Name === name);
  const [only, ...others] = found;
  if (only === undefined || others.length > 0) throw new Error(`${name} has ${found.length} schedules`);
  return { ...only, target: Target.parse(only.Properties.Target) };
}

const each = () =>
  schedules.map(({ declaration }) => ({ declaration, ...scheduleNamed(`rundown-prod-${declaration.name}`) }));

const alarms = (of: Synthesized, runbook: string): Named[] =>
  of.all('AWS::CloudWatch::Alarm').filter(({ Properties }) => `${Properties.AlarmDescription}`.endsWith(`#${runbook}`));

describe('a schedule', () => {
  test('There is a schedule for each file of functions/schedules', () => {
    expect(schedules.length).toBeGreaterThan(0);
    expect(prod.all('AWS::Scheduler::Schedule')).toHaveLength(schedules.length);
    expect(JSON.stringify(prod.all('AWS::Events::Rule'))).not.toContain('ScheduleExpression');
  });

  test('runs its function at the declared times in UTC, and passes the scheduled time', () => {
    for (const { declaration, Properties, target } of each()) {
      expect(Properties).toMatchObject({
        ScheduleExpression: declaration.expression,
        ScheduleExpressionTimezone: 'UTC',
        FlexibleTimeWindow: { Mode: 'OFF' },
      });
      expect(prod.target(target.Arn).Properties).toMatchObject({
        FunctionName: `rundown-prod-${declaration.name}`,
        Timeout: declaration.timeoutSeconds,
      });
      expect(JSON.parse(target.Input)).toEqual({ scheduledTime: '<aws.scheduler.scheduled-time>' });
    }
  });

  test('A failed run of a schedule is retried only a limited number of times, and only within the declared time', () => {
    for (const { declaration, target } of each()) {
      expect(target.RetryPolicy).toEqual({
        MaximumRetryAttempts: 10,
        MaximumEventAgeInSeconds: declaration.retrySeconds,
      });
      const fn = prod.target(target.Arn).id;
      const config = prod
        .all('AWS::Lambda::EventInvokeConfig')
        .find(({ Properties }) => prod.target(Properties.FunctionName).id === fn);
      expect(config?.Properties).toMatchObject({
        MaximumRetryAttempts: 2,
        MaximumEventAgeInSeconds: declaration.retrySeconds,
      });
    }
  });

  test('has its own role, which may only invoke the function of the schedule, and which only schedules of this deployment may assume', () => {
    const roles = each().map(({ target }) => {
      const { id, Properties } = prod.target(target.RoleArn);
      expect(Properties.ManagedPolicyArns).toBeUndefined();
      expect(Properties.Policies).toMatchObject([
        { PolicyDocument: { Statement: [{ Effect: 'Allow', Action: 'lambda:InvokeFunction', Resource: target.Arn }] } },
      ]);
      expect(Properties.AssumeRolePolicyDocument).toMatchObject({
        Statement: [
          {
            Action: 'sts:AssumeRole',
            Principal: { Service: 'scheduler.amazonaws.com' },
            Condition: {
              StringEquals: {
                'aws:SourceAccount': { Ref: 'AWS::AccountId' },
                'aws:SourceArn': { 'Fn::GetAtt': [prod.only('AWS::Scheduler::ScheduleGroup').id, 'Arn'] },
              },
            },
          },
        ],
      });
      return id;
    });
    expect(new Set(roles).size).toBe(schedules.length);
  });
});

describe('runs of schedules', () => {
  test('have a metric for each number that their function declares, and one together for unfinished runs', () => {
    const measured = prod.all('AWS::Logs::MetricFilter').flatMap(({ Properties }) => {
      const { LogGroupName, FilterPattern, MetricTransformations } = z
        .object({ LogGroupName: z.unknown(), FilterPattern: z.string(), MetricTransformations: z.tuple([z.unknown()]) })
        .parse(Properties);
      const group = `${prod.target(LogGroupName).Properties.LogGroupName}`;
      const [metric] = MetricTransformations;
      const [, name = ''] = /^\/aws\/lambda\/rundown-prod-(.+)$/.exec(group) ?? [];
      if (schedules.every(({ declaration }) => declaration.name !== name)) return [];
      return FilterPattern.includes('platform.report') ? [] : [{ group, FilterPattern, metric }];
    });
    const wanted = schedules.flatMap(({ declaration: { name, metrics } }) => {
      const group = `/aws/lambda/rundown-prod-${name}`;
      const metric = (of: string, MetricValue: string) => ({
        MetricNamespace: 'Rundown',
        MetricName: `prod-${name}-${of}`,
        MetricValue,
      });
      return [
        ...metrics.map((of) => ({
          group,
          FilterPattern: `{ $.message.${of} > 0 }`,
          metric: metric(of, `$.message.${of}`),
        })),
        {
          group,
          FilterPattern: '{ $.message.finished IS FALSE }',
          metric: { MetricNamespace: 'Rundown', MetricName: 'prod-background-unfinished', MetricValue: '1' },
        },
      ];
    });
    expect(measured).toEqual(wanted);
  });

  test('raise an alarm when one does not finish, or when one is dropped because it failed at every attempt', () => {
    for (const { target } of each()) {
      const { id } = prod.target(target.Arn);
      expect(JSON.stringify(alarms(prod, 'dropped-runs'))).toContain(`"${id}"`);
    }
    const unfinished = alarms(prod, 'unfinished-runs').map(({ Properties }) => Properties.MetricName);
    expect(unfinished).toEqual(['prod-background-unfinished']);
    const dropped = alarms(prod, 'dropped-runs').map(({ Properties }) => Properties.MetricName);
    const ofEach = schedules.map(() => 'AsyncEventsDropped');
    expect(dropped.sort()).toEqual([...ofEach, 'InvocationDroppedCount']);
  });

  test('raise no alarm in dev', () => {
    expect(dev.all('AWS::Scheduler::Schedule')).toHaveLength(schedules.length);
    expect(dev.all('AWS::CloudWatch::Alarm')).toEqual([]);
  });
});

test('the stack of the schedules has at most 180 resources', () => {
  const [stack] = prod.resourcesPerStack().filter(({ stack }) => stack.includes('Schedules'));
  expect(stack?.count).toBeLessThanOrEqual(180);
});
