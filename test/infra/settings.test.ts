/** The effects of `-c name=value` on the templates. */
import { beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { deriveDefaultLimits } from '#infra/build/environments.ts';
import { parseAppSettings } from '#infra/stacks/settings.ts';
import { parseSignInFile } from '#infra/stacks/sign-in-settings.ts';
import { resolveRetention } from '#shared/model/runs/retention.ts';
import { parseDeploymentProviders } from '#shared/model/sign-in/deployment-provider.ts';
import { EVERY_SETTING, TABLE_STREAM } from './every-setting.ts';
import { statementsOf } from './policies.ts';
import { type Named, type Synthesized, synthesized } from './synthesized.ts';

let plain: Synthesized;
let set: Synthesized;
beforeAll(async () => {
  plain = await synthesized({ env: 'prod' });
  set = await synthesized(EVERY_SETTING);
});

const functionNamed = (template: Synthesized, name: string): Named => {
  const found = template.all('AWS::Lambda::Function').find(({ Properties }) => Properties.FunctionName === name);
  if (!found) throw new Error(`There is no function ${name}`);
  return found;
};

describe('a domain', () => {
  test('A domain without a hosted zone has an output with the target for its DNS record', () => {
    const outputs = set.outputsOf('Rundown-prod');
    expect(set.target(outputs['DomainTarget']).Type).toBe('AWS::ApiGateway::DomainName');
    expect(set.text()).toContain('"RegionalDomainName"');
    expect(plain.outputsOf('Rundown-prod')).not.toHaveProperty('DomainTarget');
  });

  test('Setting a domain creates a new API deployment, without which API Gateway would keep the default address open', () => {
    const [open, closed] = [plain, set].map((template) => template.only('AWS::ApiGateway::Deployment').id);
    const [before, after] = [plain, set].map((template) =>
      // The answer to a wrong credential names the metadata at the domain.
      JSON.stringify(template.only('AWS::ApiGateway::RestApi').Properties.Body).replaceAll(
        /"gatewayresponse\.header\.WWW-Authenticate":"'Bearer [^']*'"/g,
        '',
      ),
    );
    expect(before).toBe(after);
    expect(open).not.toBe(closed);
  });
});

describe('a network for webhooks', () => {
  const sender = () => functionNamed(set, 'rundown-prod-deliverWebhook');

  test('Only the functions that send webhooks and notifications run in the network for webhooks', () => {
    const joined = set.all('AWS::Lambda::Function').filter(({ Properties }) => Properties.VpcConfig !== undefined);
    expect(joined.map(({ Properties }) => Properties.FunctionName)).toEqual([
      'rundown-prod-deliverNotification',
      'rundown-prod-deliverWebhook',
    ]);
    expect(sender().Properties.VpcConfig).toEqual({
      SubnetIds: ['subnet-0a1', 'subnet-0b2'],
      SecurityGroupIds: ['sg-0c3d4e5f'],
    });
    expect(plain.text()).not.toContain('VpcConfig');
  });

  test('With a network for webhooks, the Lambda service may create network interfaces, but the code of the function that sends webhooks may not', () => {
    const ofNetwork = statementsOf(set, sender()).filter(({ Action }) => Action.some((one) => one.startsWith('ec2:')));
    const [allowed, denied] = ['Allow', 'Deny'].map((effect) => ofNetwork.filter(({ Effect }) => Effect === effect));
    expect(allowed?.flatMap(({ Action }) => Action)).toContain('ec2:CreateNetworkInterface');
    const needed = allowed?.flatMap(({ Action }) => Action).filter((one) => one.startsWith('ec2:')) ?? ['none'];
    expect(denied?.flatMap(({ Action }) => Action)).toEqual(expect.arrayContaining(needed));
    expect(JSON.stringify(denied?.map(({ Condition }) => Condition))).toContain(
      ':function:rundown-prod-deliverWebhook"',
    );
    expect(plain.text()).not.toContain('ec2:');
  });

  test.each<Readonly<Record<string, string>>>([{ subnets: 'subnet-0a1' }, { securityGroups: 'sg-0c3d4e5f' }])(
    'is refused unless both subnets and security groups are given: %o',
    async (half) => {
      await expect(synthesized(half)).rejects.toThrow('-c subnets=... and -c securityGroups=');
    },
  );

  test.each([
    { subnets: 'my-subnet', securityGroups: 'sg-1' },
    { subnets: 'subnet-1', securityGroups: '1' },
  ])('is refused if its ids are invalid: %o', async (wrong) => {
    await expect(synthesized(wrong)).rejects.toThrow('must be ids such as');
  });
});

describe('the concurrency of consumers', () => {
  const limits = (template: Synthesized) =>
    template.all('AWS::Lambda::EventSourceMapping').flatMap(({ Properties }) => {
      const { ScalingConfig } = z
        .object({ ScalingConfig: z.object({ MaximumConcurrency: z.number() }).optional() })
        .parse(Properties);
      return ScalingConfig ? [ScalingConfig.MaximumConcurrency] : [];
    });

  test('is 10 per queue unless a setting changes it', () => {
    expect(new Set(limits(set))).toEqual(new Set([4]));
    expect(new Set(limits(plain))).toEqual(new Set([10]));
  });

  test.each(['1', '1001', '2.5', 'many'])(
    'The invalid value %s is refused as the concurrency of consumers',
    async (consumerConcurrency) => {
      await expect(synthesized({ consumerConcurrency })).rejects.toThrow('must be a whole number from 2 to 1000');
    },
  );
});

describe("the account's concurrent functions", () => {
  const watching = (template: Synthesized) =>
    template
      .all('AWS::CloudWatch::Alarm')
      .filter(({ Properties }) => Properties.Namespace === 'AWS/Lambda' && Properties.Dimensions === undefined)
      .filter(({ Properties }) => Properties.MetricName !== 'RecursiveInvocationsDropped')
      .map(({ Properties }) => `${Properties.MetricName} ${Properties.Threshold}`);

  test('An alarm is raised at 80% of the limit of concurrent executions, and at the first throttled invocation', () => {
    expect(watching(set).sort()).toEqual(['ConcurrentExecutions 40', 'Throttles 1']);
    expect(watching(plain).sort()).toEqual(['ConcurrentExecutions 800', 'Throttles 1']);
  });
});

describe('limits', () => {
  const Stage = z.object({
    MethodSettings: z.array(z.object({ ThrottlingRateLimit: z.number(), ThrottlingBurstLimit: z.number() })),
  });
  const limitsOf = (template: Synthesized) => {
    const [method] = Stage.parse(template.only('AWS::ApiGateway::Stage').Properties).MethodSettings;
    const [fn] = template.all('AWS::Lambda::Function');
    const { Variables } = z
      .object({ Variables: z.object({ DEFAULT_LIMITS: z.string(), DEFAULT_RETENTION: z.string() }) })
      .parse(fn?.Properties.Environment);
    return {
      method: [method?.ThrottlingRateLimit, method?.ThrottlingBurstLimit],
      organization: template.only('AWS::ApiGateway::UsagePlan').Properties['Throttle'],
      use: Variables.DEFAULT_LIMITS,
      retention: Variables.DEFAULT_RETENTION,
      logs: new Set(template.all('AWS::Logs::LogGroup').map(({ Properties }) => Properties['RetentionInDays'])),
    };
  };

  test('Settings replace the throttles, the limits of use, the retention and the days of logs of an environment', () => {
    expect(limitsOf(plain)).toEqual({
      method: [2000, 4000],
      organization: { RateLimit: 1000, BurstLimit: 2000 },
      use: '20000000 60000 1000',
      retention: '365 90 90',
      logs: new Set([90]),
    });
    expect(limitsOf(set)).toEqual({
      method: [3000, 6000],
      organization: { RateLimit: 2500, BurstLimit: 6000 },
      use: '50000000 150000 8000 requestsPerMonth storedBytes',
      retention: '180 60 30',
      logs: new Set([14]),
    });
  });

  test('The alarm about many requests follows the throttle of an organization', () => {
    const threshold = (template: Synthesized) =>
      template
        .all('AWS::CloudWatch::Alarm')
        .find(({ Properties }) => Properties.AlarmName === 'rundown-prod-many-requests')?.Properties['Threshold'];
    expect([threshold(plain), threshold(set)]).toEqual([300_000, 750_000]);
  });

  test('The share of an organization is half of a throttle that is set alone, and the maximum of the table can be set', () => {
    const { environment } = parseAppSettings('dev', { throttle: 1001, tableMaximum: '6000,40000' });
    expect(environment).toMatchObject({
      throttle: { requestsPerSecond: 1001, burstRequests: 2002 },
      organizationThrottle: { requestsPerSecond: 501, burstRequests: 1001 },
      tableMaximum: { readUnits: 6000, writeUnits: 40_000 },
    });
    expect(deriveDefaultLimits(environment).keyRequestsPerMinute).toBe(501 * 60);
  });

  test('Data can be kept forever, and evidence and files end with results that are kept for a shorter time', () => {
    const retentionOf = (others: Parameters<typeof parseAppSettings>[1]) => {
      const { retention } = parseAppSettings('prod', others).environment;
      return resolveRetention({}, retention);
    };
    expect(retentionOf({ resultsDays: 'forever', filesDays: 400 })).toEqual({
      resultsDays: null,
      evidenceDays: 90,
      filesDays: 400,
    });
    expect(retentionOf({ resultsDays: 30 })).toEqual({ resultsDays: 30, evidenceDays: 30, filesDays: 30 });
  });

  test.each<[Readonly<Record<string, string | number>>, string]>([
    [{ throttle: 'many' }, 'throttle=... must be requests per second, such as 2000, or'],
    [{ throttle: 0 }, 'throttle=... must be requests per second'],
    [{ throttle: '2000,1000' }, 'throttle=... must have a burst that is at least as high as the requests per second'],
    [
      { organizationThrottle: 2001 },
      'organizationThrottle=... must not exceed the limit of each method. Also set a higher throttle=',
    ],
    [{ organizationThrottle: '100,5000' }, 'organizationThrottle=... must not exceed the limit of each method'],
    [{ throttle: 500, organizationThrottle: 600 }, 'organizationThrottle=... must not exceed the limit of each method'],
    [{ tableMaximum: 30_000 }, 'tableMaximum=... must be read units and write units per second with a comma'],
    [
      { tableMaximum: '30000,50000' },
      'tableMaximum=... must not exceed the quota of the account, which is 40000 units unless AWS raised it. Then also set tableQuota=',
    ],
    [{ requestsPerMonth: 0 }, 'requestsPerMonth=... must be a whole number from 1'],
    [{ storedGigabytes: '1.5' }, 'storedGigabytes=... must be a whole number from 1'],
    [{ resultsDays: 0 }, 'resultsDays=... must be a number of days from 1 to 3650, or forever'],
    [{ resultsDays: 30, evidenceDays: 60 }, 'evidenceDays=... must not be longer than resultsDays'],
    [{ resultsDays: 30, filesDays: 'forever' }, 'filesDays=... must not be longer than resultsDays'],
    [{ logDays: 45 }, 'logDays=... must be a period that CloudWatch offers: 1, 3, 5, 7, 14, 30, 60, 90,'],
  ])('that contradict each other or a quota are refused with what to do: %o', (settings, problem) => {
    expect(() => parseAppSettings('prod', settings)).toThrow(problem);
  });
});

describe('a web ACL', () => {
  test('is associated with the stage if the setting names one', () => {
    expect(plain.all('AWS::WAFv2::WebACLAssociation')).toEqual([]);
    const { WebACLArn, ResourceArn } = set.only('AWS::WAFv2::WebACLAssociation').Properties;
    expect(WebACLArn).toBe(EVERY_SETTING.webAcl);
    const stage = set.only('AWS::ApiGateway::Stage').id;
    const api = set.only('AWS::ApiGateway::RestApi').id;
    const parts = /:apigateway:.*::\/restapis\/",(\{"Ref":"\w+"\}),"\/stages\/",(\{"Ref":"\w+"\})/.exec(
      JSON.stringify(ResourceArn),
    );
    // The API is defined in another stack, so the ARN refers to it through parameters.
    expect([parts?.[1], parts?.[2]].map((reference = '') => set.target(JSON.parse(reference)).id)).toEqual([
      api,
      stage,
    ]);
  });

  test('Another stack can associate a web ACL, because the output StageArn is the ARN of the stage', () => {
    const Joined = z.object({ 'Fn::Join': z.tuple([z.literal(''), z.array(z.unknown())]) });
    const Pseudo = z.object({ Ref: z.string().startsWith('AWS::') });
    const parts = Joined.parse(plain.outputsOf('Rundown-prod')['StageArn'])['Fn::Join'][1];
    const arn = parts.map((part) => {
      if (typeof part === 'string') return part;
      const pseudo = Pseudo.safeParse(part);
      return pseudo.success ? pseudo.data.Ref : plain.target(part).id;
    });
    const [api, stage] = ['AWS::ApiGateway::RestApi', 'AWS::ApiGateway::Stage'].map((type) => plain.only(type).id);
    expect(arn.join('')).toBe(`arn:AWS::Partition:apigateway:AWS::Region::/restapis/${api}/stages/${stage}`);
  });

  test.each(['rundown', 'arn:aws:wafv2:us-east-1:123456789012:global/webacl/rundown/1'])(
    'is refused if it is not regional: %s',
    async (webAcl) => {
      await expect(synthesized({ webAcl })).rejects.toThrow('-c webAcl=... must be the ARN of a regional web ACL');
    },
  );
});

describe('a restored table', () => {
  test('replaces the table of the stack for every function, including the relay of the outbox', () => {
    expect(set.all('AWS::DynamoDB::Table').map(({ Properties }) => Properties['TableName'])).toEqual([
      'rundown-prod-restored',
    ]);
    expect(JSON.stringify(set.outputsOf('Rundown-prod')['TableName'])).toBe('"rundown-prod-restored"');
    const Variables = z.object({ Variables: z.object({ TABLE_NAME: z.unknown() }) });
    const tables = set
      .all('AWS::Lambda::Function')
      .map(({ Properties }) => Variables.parse(Properties.Environment).Variables.TABLE_NAME);
    expect(new Set(tables)).toEqual(new Set(['rundown-prod-restored']));
    const streams = set.all('AWS::Lambda::EventSourceMapping').map(({ Properties }) => Properties.EventSourceArn);
    expect(streams).toContain(TABLE_STREAM);
    const allowed = JSON.stringify(statementsOf(set, functionNamed(set, 'rundown-prod-getRun')));
    expect(allowed).toContain(':table/rundown-prod-restored');
  });

  test('The table of the stack is not deleted when a restored table replaces it', () => {
    const made = plain.only('AWS::DynamoDB::Table');
    expect(made).toMatchObject({ DeletionPolicy: 'Retain', UpdateReplacePolicy: 'Retain' });
  });

  test('An imported table has the settings of a table that the stack makes, is kept when it leaves the template, and nothing refers to it, so that an import changes nothing else', () => {
    const { Properties: own } = plain.only('AWS::DynamoDB::Table');
    const { id, Properties: imported, ...policies } = set.only('AWS::DynamoDB::Table');
    const withoutOwn = ({ Tags, TableName, OnDemandThroughput, ...settings }: Named['Properties']) => settings;
    expect(withoutOwn(imported)).toEqual(withoutOwn(own));
    expect(imported.OnDemandThroughput).toEqual({ MaxReadRequestUnits: 60_000, MaxWriteRequestUnits: 45_000 });
    expect(policies).toMatchObject({ DeletionPolicy: 'Retain', UpdateReplacePolicy: 'Retain' });
    // `cdk import` cannot import into nested stacks.
    expect(set.stacks().find(({ resources }) => id in resources)?.stack).toBe('Rundown');
    expect(set.text()).not.toMatch(new RegExp(`"(Ref|Fn::GetAtt)":\\[?"${id}"`));
  });

  test('A table is imported only if it is a restored one', async () => {
    await expect(synthesized({ env: 'prod', tableImport: 'true' })).rejects.toThrow(
      '-c tableImport=... needs -c table=',
    );
  });

  test('is refused without the ARN of its own stream', async () => {
    await expect(synthesized({ env: 'prod', table: 'rundown-prod-restored' })).rejects.toThrow(
      '-c table=... and -c tableStream=',
    );
    const other = { env: 'prod', table: 'rundown-prod-other', tableStream: TABLE_STREAM };
    await expect(synthesized(other)).rejects.toThrow('must be the stream of the table in -c table');
  });
});

test('a restored table is refused if its name belongs to another environment', async () => {
  const { table, tableStream } = EVERY_SETTING;
  for (const env of ['dev', 'staging']) {
    await expect(synthesized({ env, table, tableStream })).rejects.toThrow(
      '-c table=... must begin with rundown-<env>-',
    );
  }
});

describe('copies of the table in another account', () => {
  test('The table is backed up each day, and copied to the vault of the setting, only if a setting names a vault', () => {
    expect(plain.text()).not.toContain('AWS::Backup::');
    const { BackupPlan } = set.only('AWS::Backup::BackupPlan').Properties;
    expect(BackupPlan).toMatchObject({
      BackupPlanRule: [
        {
          ScheduleExpression: 'cron(30 1 * * ? *)',
          Lifecycle: { DeleteAfterDays: 2 },
          CopyActions: [{ DestinationBackupVaultArn: EVERY_SETTING.backupVault, Lifecycle: { DeleteAfterDays: 14 } }],
        },
      ],
    });
    const selected = JSON.stringify(set.only('AWS::Backup::BackupSelection').Properties);
    expect(selected).toContain(':table/rundown-prod-restored');
    expect(set.only('AWS::Backup::BackupVault').DeletionPolicy).toBe('RetainExceptOnCreate');
  });

  test('A failed backup or copy notifies the topic of the warnings', () => {
    const { Notifications } = set.only('AWS::Backup::BackupVault').Properties;
    const { BackupVaultEvents, SNSTopicArn } = z
      .object({ BackupVaultEvents: z.array(z.string()), SNSTopicArn: z.unknown() })
      .parse(Notifications);
    expect(BackupVaultEvents).toEqual(['BACKUP_JOB_FAILED', 'BACKUP_JOB_EXPIRED', 'COPY_JOB_FAILED']);
    const topic = set.target(SNSTopicArn);
    expect(topic.Properties['TopicName']).toBe('rundown-prod-warnings');
    const policies = set
      .all('AWS::SNS::TopicPolicy')
      .filter(({ Properties }) => JSON.stringify(Properties).includes(topic.id));
    expect(JSON.stringify(policies)).toContain('"Service":"backup.amazonaws.com"');
  });

  test.each(['rundown', 'arn:aws:s3:::rundown'])(
    'A vault is refused if it is not one of AWS Backup: %s',
    async (backupVault) => {
      await expect(synthesized({ backupVault })).rejects.toThrow('-c backupVault=... must be the ARN of a vault');
    },
  );
});

test('Urgent alarms go to alarmEmail and the others to warningEmail, or to alarmEmail if it is the only address', async () => {
  const emails = (template: Synthesized) =>
    Object.fromEntries(
      template
        .all('AWS::SNS::Subscription')
        .map(({ Properties }) => [
          template.target(Properties['TopicArn']).Properties['TopicName'],
          Properties['Endpoint'],
        ]),
    );
  expect(emails(set)).toEqual({
    'rundown-prod-alarms': 'on-call@example.com',
    'rundown-prod-warnings': 'team@example.com',
  });
  expect(emails(plain)).toEqual({});
  expect(emails(await synthesized({ env: 'prod', alarmEmail: 'on-call@example.com' }))).toEqual({
    'rundown-prod-alarms': 'on-call@example.com',
    'rundown-prod-warnings': 'on-call@example.com',
  });
});

describe('tracing', () => {
  test('Functions and the stage are traced, and functions may send traces, only if a setting asks for it', () => {
    const modes = (template: Synthesized) =>
      new Set(
        template.all('AWS::Lambda::Function').map(({ Properties }) => JSON.stringify(Properties['TracingConfig'])),
      );
    expect(modes(set)).toEqual(new Set(['{"Mode":"Active"}']));
    expect(set.only('AWS::ApiGateway::Stage').Properties['TracingEnabled']).toBe(true);
    for (const fn of set.all('AWS::Lambda::Function'))
      expect(statementsOf(set, fn).flatMap(({ Action }) => Action)).toContain('xray:PutTraceSegments');
    expect(modes(plain)).toEqual(new Set([undefined]));
    expect(plain.only('AWS::ApiGateway::Stage').Properties['TracingEnabled']).toBeUndefined();
    expect(plain.text()).not.toContain('xray:');
  });
});

describe('a budget', () => {
  test('sends email at 80% of the amount, and when AWS forecasts more than the amount', () => {
    expect(plain.all('AWS::Budgets::Budget')).toEqual([]);
    const subscribers = [{ SubscriptionType: 'EMAIL', Address: 'on-call@example.com' }];
    const notification = { ComparisonOperator: 'GREATER_THAN', ThresholdType: 'PERCENTAGE' };
    expect(set.only('AWS::Budgets::Budget').Properties).toMatchObject({
      Budget: { BudgetType: 'COST', TimeUnit: 'MONTHLY', BudgetLimit: { Amount: 500, Unit: 'USD' } },
      NotificationsWithSubscribers: [
        { Notification: { ...notification, NotificationType: 'ACTUAL', Threshold: 80 }, Subscribers: subscribers },
        { Notification: { ...notification, NotificationType: 'FORECASTED', Threshold: 100 }, Subscribers: subscribers },
      ],
    });
  });

  test('is refused without an email address, or if its amount is not a whole number', async () => {
    await expect(synthesized({ budget: '500' })).rejects.toThrow('-c budget=... needs -c alarmEmail=');
    await expect(synthesized({ budget: 'much', alarmEmail: 'on-call@example.com' })).rejects.toThrow('must be a whole');
  });
});

test('metrics per route exist only if they are requested, because they cost $1.50 a month for each route that is used', () => {
  const Methods = z.array(z.object({ MetricsEnabled: z.boolean() }));
  const enabled = (template: Synthesized) =>
    Methods.parse(template.only('AWS::ApiGateway::Stage').Properties['MethodSettings']).map(
      (one) => one.MetricsEnabled,
    );
  expect(new Set(enabled(plain))).toEqual(new Set([false]));
  expect(new Set(enabled(set))).toEqual(new Set([true]));
});

describe('a dashboard', () => {
  test('exists only if it is requested, and shows requests, functions, table, queues and alarms', () => {
    expect(plain.all('AWS::CloudWatch::Dashboard')).toEqual([]);
    const { DashboardName, DashboardBody } = set.only('AWS::CloudWatch::Dashboard').Properties;
    expect(DashboardName).toBe('rundown-prod');
    const body = JSON.stringify(DashboardBody);
    for (const shown of ['AWS/ApiGateway', 'AWS/Lambda', 'AWS/DynamoDB', 'AWS/SQS', 'alarm']) {
      expect(body).toContain(shown);
    }
  });
});

describe('providers to sign in with', () => {
  const acme = { signInIssuer: 'https://sso.example.com', signInClient: 'rundown' };

  test('are known to every function, and only one knows where their secrets are', () => {
    const variables = (template: Synthesized) =>
      template.all('AWS::Lambda::Function').map(({ Properties }) => {
        const { Variables = {} } = z
          .looseObject({ Variables: z.record(z.string(), z.unknown()).optional() })
          .parse(Properties.Environment ?? {});
        return { name: Properties.FunctionName, all: Variables };
      });
    expect(variables(plain).filter(({ all }) => 'SIGN_IN_PROVIDERS' in all)).toEqual([]);
    const texts = new Set(variables(set).flatMap(({ all }) => String(all['SIGN_IN_PROVIDERS'] ?? '')));
    const { signInProviders } = parseAppSettings('prod', {
      ...acme,
      signInName: 'Acme',
      trustedDomains: 'example.com,example.org',
      githubClient: 'Ov23abc',
      githubUrl: 'https://github.example.com',
    });
    expect([...texts].filter(Boolean).map(parseDeploymentProviders)).toEqual([signInProviders]);
    expect(signInProviders).toMatchObject([
      { providerId: 'openid', name: 'Acme', trustedDomains: ['example.com', 'example.org'] },
      { providerId: 'github', name: 'GitHub', issuer: 'https://github.example.com', trustedDomains: [] },
    ]);
    const knowing = variables(set).filter(({ all }) => 'SIGN_IN_PREFIX' in all);
    expect(knowing.map(({ name }) => name)).toEqual(['rundown-prod-providerSignIn']);
  });

  test('have the name of their host, and GitHub its own address, unless settings say otherwise', () => {
    expect(parseAppSettings('dev', { ...acme, githubClient: 'a' }).signInProviders).toMatchObject([
      { name: 'sso.example.com' },
      { issuer: 'https://github.com' },
    ]);
    expect(parseAppSettings('dev', {}).signInProviders).toEqual([]);
  });

  test.each<[Readonly<Record<string, string>>, string]>([
    [{ signInIssuer: acme.signInIssuer }, 'signInClient=... and signInIssuer=<issuer> must be set together'],
    [{ signInClient: 'rundown' }, 'must be set together'],
    [{ ...acme, signInIssuer: 'http://sso.example.com' }, 'signInIssuer'],
    [{ ...acme, signInIssuer: 'https://login.microsoftonline.com/common/v2.0' }, 'signs in people of every company'],
    [{ ...acme, signInClient: 'a b' }, 'must be the client id'],
    [{ ...acme, signInName: '<b>' }, 'must consist of letters'],
    [{ ...acme, signInName: 'a'.repeat(41) }, 'must have at most 40 characters'],
    [{ signInName: 'Acme' }, 'needs signInIssuer'],
    [{ trustedDomains: 'example.com' }, 'needs signInIssuer'],
    [{ ...acme, trustedDomains: 'example.com, example.org' }, 'must be domains in lower case'],
    [{ ...acme, trustedDomains: 'com' }, 'must be domains in lower case'],
    [{ ...acme, trustedDomains: 'Example.com' }, 'must be domains in lower case'],
    [{ ...acme, trustedDomains: '*.example.com' }, 'must be domains in lower case'],
    [{ ...acme, trustedDomains: '@example.com' }, 'must be domains in lower case'],
    [{ githubUrl: 'https://github.example.com' }, 'needs githubClient'],
    [{ githubClient: 'a', githubUrl: 'https://github.example.com/org' }, 'without a path'],
  ])('are refused with what to do: %o', (settings, problem) => {
    expect(() => parseAppSettings('prod', settings)).toThrow(problem);
    expect(() => parseSignInFile(JSON.stringify(settings))).toThrow(/[a-z] /);
  });

  test('are the same in the file for npm start, which has no other settings', () => {
    const settings = { ...acme, githubClient: 'a' };
    const { signInProviders } = parseAppSettings('dev', settings);
    expect(parseSignInFile(JSON.stringify(settings))).toEqual(signInProviders);
    expect(() => parseSignInFile('{"githubSecret":"x"}')).toThrow('githubSecret');
    expect(() => parseSignInFile('{')).toThrow('JSON');
  });
});
