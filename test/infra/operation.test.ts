import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { PROJECT } from '#infra/build/declarations.ts';
import { ENVIRONMENTS } from '#infra/build/environments.ts';
import { toContext } from '#shared/access/denial.ts';
import { TABLE } from '#shared/engine/table/schema.ts';
import { findAssembly } from '#test/harness/stage.ts';
import { type Synthesized, synthesized, synthesizedIn } from './synthesized.ts';

let dev: Synthesized;
let staging: Synthesized;
let prod: Synthesized;
beforeAll(async () => {
  dev = await synthesizedIn(await findAssembly());
  staging = await synthesized({ env: 'staging' });
  prod = await synthesized({ env: 'prod' });
});

describe('stored data:', () => {
  test('outside dev the table can be restored to a point in time and is protected from deletion, and the table and the bucket outlive the stack', () => {
    for (const environment of [staging, prod]) {
      expect(environment.only('AWS::DynamoDB::Table')).toMatchObject({
        DeletionPolicy: 'Retain',
        Properties: {
          PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
          DeletionProtectionEnabled: true,
        },
      });
      // The bucket is retained when the stack is deleted or changed, but not when its first deployment fails.
      expect(environment.only('AWS::S3::Bucket')).toMatchObject({
        DeletionPolicy: 'RetainExceptOnCreate',
        UpdateReplacePolicy: 'Retain',
      });
    }
  });

  test('the data of a dev stack is deleted with the stack', () => {
    expect(dev.only('AWS::DynamoDB::Table').DeletionPolicy).toBe('Delete');
    expect(dev.only('AWS::S3::Bucket').DeletionPolicy).toBe('Delete');
  });

  test('the table removes expired items, streams the old and the new version of each changed item, and is billed per request', () => {
    expect(prod.only('AWS::DynamoDB::Table').Properties).toMatchObject({
      TimeToLiveSpecification: { AttributeName: TABLE.expiresAt, Enabled: true },
      StreamSpecification: { StreamViewType: 'NEW_AND_OLD_IMAGES' },
      BillingMode: 'PAY_PER_REQUEST',
    });
  });

  test('artifacts are private, encrypted, and reachable over TLS only', () => {
    const { Properties } = prod.only('AWS::S3::Bucket');
    expect(Properties).toMatchObject({
      PublicAccessBlockConfiguration: {
        BlockPublicAcls: true,
        BlockPublicPolicy: true,
        IgnorePublicAcls: true,
        RestrictPublicBuckets: true,
      },
    });
    expect(Properties.BucketEncryption).toBeDefined();
    expect(JSON.stringify(prod.only('AWS::S3::BucketPolicy'))).toContain('{"Bool":{"aws:SecureTransport":"false"}}');
  });

  test('uploads, imports and caches expire, and can be restored for only one day after they expire or are deleted, as can replaced exports', () => {
    const gone = { NoncurrentVersionExpiration: { NoncurrentDays: 1 }, Status: 'Enabled' };
    expect(prod.only('AWS::S3::Bucket').Properties.LifecycleConfiguration).toMatchObject({
      Rules: [
        { Prefix: 'uploads/', ExpirationInDays: 30, ...gone },
        { Prefix: 'imports/', ExpirationInDays: 30, ...gone },
        { Prefix: 'cache/', ExpirationInDays: 8, ...gone },
        { Prefix: 'exports/', ...gone },
        { AbortIncompleteMultipartUpload: { DaysAfterInitiation: 1 } },
      ],
    });
  });

  test('a deleted file can be restored as long as the table can be restored, and is removed with its delete marker afterwards', () => {
    const { pointInTimeRecovery, deletedFilesDays } = ENVIRONMENTS.prod;
    expect({ pointInTimeRecovery, deletedFilesDays }).toEqual({ pointInTimeRecovery: true, deletedFilesDays: 36 });
    expect(prod.only('AWS::S3::Bucket').Properties).toMatchObject({
      VersioningConfiguration: { Status: 'Enabled' },
      LifecycleConfiguration: {
        Rules: expect.arrayContaining([
          {
            AbortIncompleteMultipartUpload: { DaysAfterInitiation: 1 },
            NoncurrentVersionExpiration: { NoncurrentDays: deletedFilesDays },
            ExpiredObjectDeleteMarker: true,
            Status: 'Enabled',
          },
        ]),
      },
    });
    const { VersioningConfiguration, LifecycleConfiguration } = dev.only('AWS::S3::Bucket').Properties;
    expect(VersioningConfiguration).toBeUndefined();
    expect(JSON.stringify(LifecycleConfiguration)).not.toContain('Noncurrent');
  });
});

describe('observability:', () => {
  test('all logs are kept for the retention time of the environment', () => {
    const logs = prod.all('AWS::Logs::LogGroup');
    expect(logs).toHaveLength(prod.all('AWS::Lambda::Function').length + 2);
    for (const { Properties } of logs) expect(Properties.RetentionInDays).toBe(90);
    for (const { Properties } of dev.all('AWS::Logs::LogGroup')) expect(Properties.RetentionInDays).toBe(7);
    for (const { Properties } of prod.all('AWS::Lambda::Function')) {
      const { LogGroup } = z.object({ LogGroup: z.unknown() }).parse(Properties.LoggingConfig);
      expect(prod.target(LogGroup).Type).toBe('AWS::Logs::LogGroup');
    }
  });

  test('the logs of the gateway contain no header, query or body, and so no credential', () => {
    const { AccessLogSetting, MethodSettings } = prod.only('AWS::ApiGateway::Stage').Properties;
    expect(JSON.stringify(AccessLogSetting)).not.toMatch(/header|querystring|requestOverride|\$context\.path\b/i);
    expect(JSON.stringify(MethodSettings)).not.toContain('"DataTraceEnabled":true');
  });

  test('the access log contains the ids of the organization and of the credential', () => {
    const { AccessLogSetting } = prod.only('AWS::ApiGateway::Stage').Properties;
    const { Format } = z.object({ Format: z.string() }).parse(AccessLogSetting);
    expect(JSON.parse(Format)).toMatchObject({
      organizationId: '$context.authorizer.organizationId',
      credentialId: '$context.authorizer.principalId',
    });
    const actor = { kind: 'apiKey', organizationId: 'org-1', keyId: 'k', label: 'CI', level: 'readOnly' } as const;
    expect(toContext(actor, undefined)).toMatchObject({ organizationId: 'org-1' });
  });

  test('each function logs as JSON, including the records of Lambda about its duration and memory', () => {
    for (const { Properties } of prod.all('AWS::Lambda::Function')) {
      expect(Properties.LoggingConfig).toMatchObject({ LogFormat: 'JSON', SystemLogLevel: 'INFO' });
    }
  });

  test('In staging, all functions except one have an alarm for errors, and dev has no alarms', () => {
    const watched = staging
      .all('AWS::CloudWatch::Alarm')
      .filter(({ Properties }) => Properties.Namespace === 'AWS/Lambda' && Properties.MetricName === 'Errors');
    // The exception is the authorizer, whose errors are not always faults.
    expect(watched).toHaveLength(staging.all('AWS::Lambda::Function').length - 1);
    expect(dev.all('AWS::CloudWatch::Alarm')).toEqual([]);
  });

  test('every alarm describes the problem, links to its section of the runbook and notifies the alarm topic', async () => {
    const runbook = await readFile(join(PROJECT, 'infra/README.md'), 'utf8');
    for (const { id, Properties } of prod.all('AWS::CloudWatch::Alarm')) {
      const [, sentence = '', heading = ''] =
        /^(.+\.) Runbook: infra\/README\.md#([\w-]+)$/.exec(`${Properties.AlarmDescription}`) ?? [];
      expect(sentence.length, id).toBeGreaterThan(30);
      expect(runbook, id).toContain(`\n### ${heading}\n`);
      expect(Properties.AlarmActions, id).toHaveLength(1);
    }
  });

  test('no alarm combines more than five metrics, well below the ten that CloudWatch allows', () => {
    const Metrics = z.array(z.object({ MetricStat: z.unknown().optional() })).default([]);
    for (const { id, Properties } of prod.all('AWS::CloudWatch::Alarm')) {
      const counted = Metrics.parse(Properties['Metrics']).filter(({ MetricStat }) => MetricStat !== undefined);
      expect(counted.length, id).toBeLessThanOrEqual(5);
    }
  });

  test('the name of an alarm contains the environment, the function or queue if it is about one, and the runbook heading, and the topic is also notified when the alarm ends', () => {
    const alarms = prod.all('AWS::CloudWatch::Alarm').map(({ Properties }) => Properties);
    const names = alarms.map(({ AlarmName }) => `${AlarmName}`);
    expect(names).toEqual(
      expect.arrayContaining(['rundown-prod-getRun-function-errors', 'rundown-prod-deliverWebhook-dead-letters']),
    );
    expect(new Set(names).size).toBe(names.length);
    for (const { AlarmName, AlarmDescription, AlarmActions, OKActions } of alarms) {
      const heading = `${AlarmDescription}`.split('#')[1];
      expect(AlarmName).toMatch(new RegExp(`^rundown-prod-(\\w+-)?${heading}$`));
      expect(OKActions, `${AlarmName}`).toEqual(AlarmActions);
    }
  });
});

describe('limits on the cost of faults and of too many requests', () => {
  test.each([
    ['dev', 3000, 2000],
    ['staging', 7500, 5000],
    ['prod', 30_000, 20_000],
  ])('The table in %s accepts at most %i read units and %i write units per second', (name, reads, writes) => {
    const template = { dev, staging, prod }[name];
    expect(template?.only('AWS::DynamoDB::Table').Properties['OnDemandThroughput']).toEqual({
      MaxReadRequestUnits: reads,
      MaxWriteRequestUnits: writes,
    });
  });

  test.each([
    ['staging', 75_000],
    ['prod', 300_000],
  ])(
    'An alarm is raised in %s after three periods of five minutes with at least %i requests each, the maximum for one organization',
    (name, most) => {
      const template = { staging, prod }[name];
      const alarms = template?.all('AWS::CloudWatch::Alarm').map(({ Properties }) => Properties);
      expect(alarms?.find(({ AlarmName }) => AlarmName === `rundown-${name}-many-requests`)).toMatchObject({
        Namespace: 'AWS/ApiGateway',
        MetricName: 'Count',
        Statistic: 'Sum',
        Threshold: most,
        Period: 300,
        EvaluationPeriods: 3,
      });
    },
  );

  test('an alarm is raised when at least half of the requests are refused for 15 minutes, if at least one request arrives per second', () => {
    const alarms = prod.all('AWS::CloudWatch::Alarm').map(({ Properties }) => Properties);
    const refused = alarms.find(({ AlarmName }) => AlarmName === 'rundown-prod-refused-requests');
    expect(refused).toMatchObject({ Threshold: 50, EvaluationPeriods: 3 });
    expect(JSON.stringify(refused)).toContain('IF(requests >= 300, 100 * refused / requests, 0)');
    expect(JSON.stringify(refused)).toContain('"Period":300');
    expect(JSON.stringify(refused)).toMatch(/"4XXError".*"Count"|"Count".*"4XXError"/);
  });
});

describe('stacks', () => {
  test('Each stack has fewer than 400 of the 500 resources that CloudFormation allows', () => {
    for (const { stack, count } of prod.resourcesPerStack()) expect(count, stack).toBeLessThan(400);
  });

  test('contain no account id and no region, and tag their functions', () => {
    expect(prod.text()).not.toMatch(/"(us|eu|ap)-[a-z]+-\d"/);
    expect(staging.text()).not.toMatch(/\b\d{12}\b/);
    for (const { Properties } of prod.all('AWS::Lambda::Function')) {
      expect(JSON.stringify(Properties.Tags)).toContain('{"Key":"env","Value":"prod"}');
    }
  });
});
