import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { loadFunctions, PROJECT } from '#infra/build/declarations.ts';
import { ENVIRONMENTS } from '#infra/build/environments.ts';
import { listApiRoutes } from '#infra/stacks/api-routes.ts';
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
    expect(parseAccessLog(Format)).toMatchObject({
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

  test('The access log tells the time of the authorizer from that of the function, and has the time of a request as a number, by which metric filters can compare', () => {
    const { AccessLogSetting } = prod.only('AWS::ApiGateway::Stage').Properties;
    const { Format } = z.object({ Format: z.string() }).parse(AccessLogSetting);
    expect(Format).toContain('"milliseconds":$context.responseLatency,');
    expect(parseAccessLog(Format)).toMatchObject({
      authorizerMilliseconds: '$context.authorizer.latency',
      functionMilliseconds: '$context.integration.latency',
    });
  });

  test('The request id of the access log is the one that clients cannot choose', () => {
    const { AccessLogSetting } = prod.only('AWS::ApiGateway::Stage').Properties;
    expect(JSON.stringify(AccessLogSetting)).toContain('$context.extendedRequestId');
    expect(JSON.stringify(AccessLogSetting)).not.toContain('$context.requestId');
  });

  test('every alarm describes the problem, links to its section of the runbook and notifies the alarm topic', async () => {
    const runbook = await readFile(join(PROJECT, 'infra/README.md'), 'utf8');
    for (const { id, Properties } of prod.all('AWS::CloudWatch::Alarm')) {
      const [, sentence = '', heading = ''] =
        /^(.+\.) Runbook: infra\/README\.md#([\w-]+)$/.exec(`${Properties.AlarmDescription}`) ?? [];
      expect(sentence.length, id).toBeGreaterThan(30);
      expect(runbook, id).toContain(`\n### ${heading}\n`);
      expect(Properties.AlarmActions, id).toHaveLength(1);
      expect(['Alarms', 'Warnings'], id).toContain(topicOf(Properties.AlarmActions));
    }
  });

  test('no alarm combines more than five metrics, well below the ten that CloudWatch allows', () => {
    for (const { id, Properties } of prod.all('AWS::CloudWatch::Alarm'))
      expect(countMetrics(Properties), id).toBeLessThanOrEqual(5);
  });

  test('the name of an alarm contains the environment, the function or queue if it is about one, and the runbook heading, and the topic is also notified when the alarm ends', () => {
    const alarms = prod.all('AWS::CloudWatch::Alarm').map(({ Properties }) => Properties);
    const names = alarms.map(({ AlarmName }) => `${AlarmName}`);
    expect(names).toEqual(
      expect.arrayContaining(['rundown-prod-recording-failing-requests', 'rundown-prod-deliverWebhook-dead-letters']),
    );
    expect(new Set(names).size).toBe(names.length);
    for (const { AlarmName, AlarmDescription, AlarmActions, OKActions } of alarms) {
      const heading = `${AlarmDescription}`.split('#')[1];
      expect(AlarmName).toMatch(new RegExp(`^rundown-prod-(\\w+-)?${heading}$`));
      expect(OKActions, `${AlarmName}`).toEqual(AlarmActions);
    }
  });
});

describe('alarms of prod:', () => {
  const alarms = () => prod.all('AWS::CloudWatch::Alarm').map(({ Properties }) => Properties);
  const named = (name: string) => alarms().find(({ AlarmName }) => AlarmName === `rundown-prod-${name}`) ?? {};

  test('The alarms of prod cost at most $10 a month, and dev has none', () => {
    // CloudWatch bills $0.10 for each metric of an alarm.
    expect(sum(alarms().map(countMetrics))).toBeLessThanOrEqual(100);
    expect(dev.all('AWS::CloudWatch::Alarm')).toEqual([]);
  });

  test('Only failing, slow or refused requests of many clients and a flood are urgent, and everything else is a warning', () => {
    const urgent = alarms().filter(({ AlarmActions }) => topicOf(AlarmActions) === 'Alarms');
    expect(urgent.map(({ AlarmName }) => `${AlarmName}`.replace('rundown-prod-', '')).sort()).toEqual([
      'many-requests',
      'reading-failing-requests',
      'reading-slow-answers',
      'recording-failing-requests',
      'recording-slow-answers',
      'refused-recordings',
    ]);
  });

  test.each([
    ['recording-failing-requests', 'recording-faults', 3600, 1.44],
    ['reading-failing-requests', 'reading-faults', 3600, 1.44],
    ['recording-slow-answers', 'recording-slow', 3600, 14.4],
    ['reading-slow-answers', 'reading-slow', 3600, 14.4],
    ['recordingErrors-error-budget', 'recording-faults', 21_600, 0.6],
    ['readingErrors-error-budget', 'reading-faults', 21_600, 0.6],
    ['recordingLatency-error-budget', 'recording-slow', 21_600, 6],
    ['readingLatency-error-budget', 'reading-slow', 21_600, 6],
  ])(
    'The alarm %s compares %s with all requests of its kind, in a window of %i seconds, and is raised at %d percent',
    (name, metric, period, percent) => {
      const alarm = named(name);
      expect(alarm).toMatchObject({ Threshold: percent, EvaluationPeriods: 1, TreatMissingData: 'notBreaching' });
      const [kind] = metric.split('-');
      expect(alarm['Metrics']).toEqual(
        expect.arrayContaining([
          expect.objectContaining({ Expression: 'IF(bad >= 10, 100 * bad / requests, 0)' }),
          expect.objectContaining({ Id: 'bad', MetricStat: stat(`prod-${metric}`, period, 'Sum') }),
          expect.objectContaining({
            Id: 'requests',
            MetricStat: stat(`prod-${kind}-milliseconds`, period, 'SampleCount'),
          }),
        ]),
      );
    },
  );

  const stat = (MetricName: string, Period: number, Stat: string) => ({
    Metric: { MetricName, Namespace: 'Rundown' },
    Period,
    Stat,
  });

  test('A metric filter for recordings matches exactly the requests that need the permission to record, and one for reading matches the other GET requests and those of agents', async () => {
    const functions = await loadFunctions();
    const routes = listApiRoutes(functions);
    const recording = functions.endpoints
      .filter(({ declaration }) => declaration.permission === 'record')
      .flatMap(({ declaration: { method, path, alias } }) =>
        [path, alias].flatMap((at) => (at ? `${method} ${at}` : [])),
      );
    const operations = [...routes.map(({ method, path }) => `${method} ${path}`), 'GET -', 'POST -'];
    expect(operations).toEqual(expect.arrayContaining([...recording, 'POST /mcp']));
    for (const operation of operations) {
      const isRecording = recording.includes(operation);
      const isReading = !isRecording && operation !== 'GET -' && /^GET |^POST \/mcp$/.test(operation);
      const line = { operation, status: '200', milliseconds: 100 };
      expect(countMatches('recording-milliseconds', line), operation).toBe(isRecording ? 1 : 0);
      expect(countMatches('reading-milliseconds', line), operation).toBe(isReading ? 1 : 0);
    }
  });

  test('Only 5xx responses count as failed, and only responses that take longer than the limit of their kind count as slow', () => {
    const line = { operation: 'POST /test-record', status: '429', milliseconds: 2000 };
    const failed = { ...line, status: '503' };
    const page = { operation: 'GET /{organizationId}', status: '200', milliseconds: 5000 };
    expect(countMatches('recording-faults', line)).toBe(0);
    expect(countMatches('recording-faults', failed)).toBe(1);
    expect(countMatches('reading-faults', failed)).toBe(0);
    expect(countMatches('recording-slow', line)).toBe(0);
    expect(countMatches('recording-slow', { ...line, milliseconds: 2001 })).toBe(1);
    expect(countMatches('reading-slow', page)).toBe(0);
    expect(countMatches('reading-slow', { ...page, milliseconds: 5001 })).toBe(1);
    expect(countMatches('reading-faults', { ...page, status: '504' })).toBe(1);
  });

  test('An alarm is raised if recordings were refused with 429 twenty times in each of two periods of five minutes', () => {
    expect(named('refused-recordings')).toMatchObject({
      MetricName: 'prod-recording-refusals',
      Statistic: 'Sum',
      Period: 300,
      EvaluationPeriods: 2,
      Threshold: 20,
    });
    const line = { operation: 'POST /test-record', status: '429', milliseconds: 20 };
    expect(countMatches('recording-refusals', line)).toBe(1);
    expect(countMatches('recording-refusals', { ...line, status: '200' })).toBe(0);
    expect(countMatches('recording-refusals', { ...line, operation: 'GET /v1/projects' })).toBe(0);
  });

  test('One alarm hears each function that checks credentials when it logs that an organization used 80 % or all of its requests', async () => {
    const { endpoints } = await loadFunctions();
    const fromBody = endpoints.filter(({ declaration }) => declaration.credential === 'body');
    const filters = prod
      .all('AWS::Logs::MetricFilter')
      .filter(({ Properties }) => JSON.stringify(Properties).includes('"prod-requests-near-limit"'));
    const logs = filters.map(({ Properties }) => prod.target(Properties['LogGroupName']).Properties['LogGroupName']);
    const names = ['authorizer', ...fromBody.map(({ declaration }) => declaration.operationId)];
    expect(logs.sort()).toEqual(names.map((name) => `/aws/lambda/rundown-prod-${name}`).sort());
    for (const { Properties } of filters)
      expect(Properties['FilterPattern']).toBe('{ $.message.message = "limit of requests" }');
    expect(named('requests-limit')).toMatchObject({
      MetricName: 'prod-requests-near-limit',
      Statistic: 'Sum',
      Threshold: 1,
    });
  });

  test('An alarm is raised when the nightly measurement finds an organization that uses 80 % of its storage', () => {
    expect(named('storage-limit')).toMatchObject({
      MetricName: 'prod-measureStorage-nearlyFull',
      Statistic: 'Sum',
      Threshold: 1,
    });
  });

  test('No filter pattern exceeds the 1,024 characters that CloudWatch Logs accepts', () => {
    for (const { id, Properties } of prod.all('AWS::Logs::MetricFilter'))
      expect(`${Properties['FilterPattern']}`.length, id).toBeLessThanOrEqual(1024);
  });

  test('Failed invocations of queues, schedules and streams add up in one metric with one alarm', async () => {
    const { consumers, schedules, streams } = await loadFunctions();
    const filters = prod
      .all('AWS::Logs::MetricFilter')
      .filter(({ Properties }) => JSON.stringify(Properties).includes('"prod-background-failures"'));
    const logs = filters.map(({ Properties }) => prod.target(Properties['LogGroupName']).Properties['LogGroupName']);
    const names = [...consumers, ...schedules, ...streams].map(({ declaration: { name } }) => name);
    expect(logs.sort()).toEqual(names.map((name) => `/aws/lambda/rundown-prod-${name}`).sort());
    for (const { Properties } of filters)
      expect(Properties['FilterPattern']).toBe('{ ($.type = "platform.report") && ($.record.status != "success") }');
    expect(named('background-function-errors')).toMatchObject({
      MetricName: 'prod-background-failures',
      Statistic: 'Sum',
      Period: 3600,
      Threshold: 10,
    });
  });

  /** How many filters of a metric match a line of the access log. */
  function countMatches(metric: string, line: Readonly<Record<string, string | number>>): number {
    return prod
      .all('AWS::Logs::MetricFilter')
      .filter(({ Properties }) => JSON.stringify(Properties['MetricTransformations']).includes(`"prod-${metric}"`))
      .filter(({ Properties }) => isMatch(z.string().parse(Properties['FilterPattern']), line)).length;
  }
});

/** The part of CloudWatch's filter patterns that the access log needs: comparisons with `&&`, `||` and parentheses. */
function isMatch(pattern: string, line: Readonly<Record<string, string | number>>): boolean {
  const tokens = pattern.match(/\$\.\w+ (?:=|!=) "[^"]*"|\$\.\w+ > \d+|&&|\|\||[()]/g) ?? [];
  const read = (): boolean => {
    let value = readOne();
    while (tokens[0] === '&&' || tokens[0] === '||') {
      const isAnd = tokens.shift() === '&&';
      const other = readOne();
      value = isAnd ? value && other : value || other;
    }
    return value;
  };
  const readOne = (): boolean => {
    const token = tokens.shift() ?? '';
    if (token !== '(') return compare(token);
    const value = read();
    expect(tokens.shift()).toBe(')');
    return value;
  };
  const compare = (token: string): boolean => {
    const [, field = '', sign = '', value = ''] = /^\$\.(\w+) (=|!=|>) (.*)$/.exec(token) ?? [];
    const actual = line[field];
    if (sign === '>') return typeof actual === 'number' && actual > Number(value);
    const text = value.slice(1, -1);
    const isEqual = text.endsWith('*') ? `${actual}`.startsWith(text.slice(0, -1)) : actual === text;
    return (sign === '=') === isEqual;
  };
  const matches = read();
  expect(tokens).toEqual([]);
  return matches;
}

const parseAccessLog = (format: string): unknown => JSON.parse(format.replaceAll(/:(\$context\.[\w.]+)/g, ':"$1"'));

const Metrics = z.array(z.object({ MetricStat: z.unknown().optional() })).optional();
const countMetrics = ({ Metrics: metrics }: Readonly<Record<string, unknown>>): number =>
  Metrics.parse(metrics)?.filter(({ MetricStat }) => MetricStat !== undefined).length ?? 1;

const sum = (numbers: readonly number[]): number => numbers.reduce((total, one) => total + one, 0);

/** The id of the topic that an alarm notifies. */
function topicOf(actions: unknown): string {
  const [topic] = z.tuple([z.unknown()]).parse(actions);
  return prod.target(topic).id.replace(/[0-9A-F]{8}$/, '');
}

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
