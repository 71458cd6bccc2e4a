/** Settings with which an operator fits the service into an account: keys, networks, concurrency and table class. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { App, Stack } from 'aws-cdk-lib';
import { beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { PROJECT } from '#infra/build/declarations.ts';
import { addBudget } from '#infra/constructs/budget.ts';
import { buildEndpoint, buildResourcePolicy } from '#infra/constructs/network-access.ts';
import { WARM_FUNCTIONS } from '#infra/constructs/warm-functions.ts';
import { NAMES, parseAppSettings } from '#infra/stacks/settings.ts';
import { EVERY_SETTING, FULL_SETS, KEY, PRIVATE } from './every-setting.ts';
import { PolicyDocument, statementsOf } from './policies.ts';
import { type Named, type Synthesized, synthesized } from './synthesized.ts';

let plain: Synthesized;
let set: Synthesized;
beforeAll(async () => {
  plain = await synthesized({ env: 'prod' });
  set = await synthesized(PRIVATE);
});

const nameOf = ({ Properties }: Named) => `${Properties.FunctionName}`.replace('rundown-prod-', '');
const functionNamed = (template: Synthesized, name: string): Named => {
  const found = template.all('AWS::Lambda::Function').find((fn) => nameOf(fn) === name);
  if (!found) throw new Error(`There is no function ${name}`);
  return found;
};
const variablesOf = (fn: Named) =>
  z.object({ Variables: z.record(z.string(), z.unknown()) }).parse(fn.Properties.Environment).Variables;

test('Every setting is in a set of settings that the scanners check', () => {
  expect(new Set(Object.values(FULL_SETS).flatMap(Object.keys))).toEqual(new Set(NAMES));
});

describe('the key of the operator', () => {
  /** Where each type of resource names its key. */
  const KEYS: Readonly<Record<string, (properties: Named['Properties']) => unknown>> = {
    'AWS::DynamoDB::Table': ({ SSESpecification }) =>
      z.object({ KMSMasterKeyId: z.string(), SSEType: z.literal('KMS') }).parse(SSESpecification).KMSMasterKeyId,
    'AWS::S3::Bucket': ({ BucketEncryption }) => {
      const ByKey = z.object({ SSEAlgorithm: z.literal('aws:kms'), KMSMasterKeyID: z.string() });
      const Rule = z.object({ BucketKeyEnabled: z.literal(true), ServerSideEncryptionByDefault: ByKey });
      const Encryption = z.object({ ServerSideEncryptionConfiguration: z.tuple([Rule]) });
      const [rule] = Encryption.parse(BucketEncryption).ServerSideEncryptionConfiguration;
      return rule.ServerSideEncryptionByDefault.KMSMasterKeyID;
    },
    'AWS::SQS::Queue': ({ KmsMasterKeyId, SqsManagedSseEnabled }) => SqsManagedSseEnabled ?? KmsMasterKeyId,
    'AWS::SNS::Topic': ({ KmsMasterKeyId }) => KmsMasterKeyId,
    'AWS::Logs::LogGroup': ({ KmsKeyId }) => KmsKeyId,
  };

  test.each(Object.entries(KEYS))('encrypts every resource of the type %s', (type, readKey) => {
    const resources = set.all(type);
    expect(resources.length).toBeGreaterThan(0);
    expect(new Set(resources.map(({ Properties }) => readKey(Properties)))).toEqual(new Set([KEY]));
  });

  /** What the role of a function may do with the key, as `service: actions`. */
  const uses = (template: Synthesized, name: string) => {
    const Condition = z.object({ StringEquals: z.object({ 'kms:ViaService': z.unknown() }) });
    return statementsOf(template, functionNamed(template, name))
      .filter(({ Action }) => Action.some((action) => action.startsWith('kms:')))
      .map(({ Action, Resource, Condition: condition }) => {
        expect(Resource).toBe(KEY);
        const service = JSON.stringify(Condition.parse(condition).StringEquals['kms:ViaService']);
        expect(service).toMatch(/"\w+\.",\{"Ref":"AWS::Region"\},"\.amazonaws\.com"/);
        return `${/"(\w+)\./.exec(service)?.[1]}: ${Action.map((action) => action.replace('kms:', '')).join(' ')}`;
      })
      .sort();
  };
  const WRITES = 'Encrypt GenerateDataKey ReEncryptFrom ReEncryptTo';

  test.each([
    ['getRun', ['dynamodb: Decrypt DescribeKey', 's3: Decrypt']],
    ['getTestResults', ['dynamodb: Decrypt DescribeKey']],
    ['createTestRecord', [`dynamodb: Decrypt DescribeKey ${WRITES}`]],
    ['storeCache', [`dynamodb: Decrypt DescribeKey ${WRITES}`, 's3: Decrypt GenerateDataKey']],
    ['readCache', [`dynamodb: Decrypt DescribeKey ${WRITES}`, 's3: Decrypt']],
    [
      'deliverNotification',
      [`dynamodb: Decrypt DescribeKey ${WRITES}`, 'sqs: Decrypt GenerateDataKey', 'ssm: Decrypt'],
    ],
    ['removeExpiredFiles', [`dynamodb: Decrypt DescribeKey ${WRITES}`]],
  ])('The role of %s may use the key of the operator only for what its other statements allow', (name, expected) => {
    expect(uses(set, name)).toEqual(expected);
  });

  test('Without a key of the operator, roles may use only the keys that sign access tokens', () => {
    expect(plain.text()).not.toContain('kms:ViaService');
    const granted = plain
      .all('AWS::Lambda::Function')
      .flatMap((fn) => statementsOf(plain, fn).flatMap(({ Action }) => Action))
      .filter((action) => action.startsWith('kms:'));
    expect(new Set(granted)).toEqual(new Set(['kms:GetPublicKey', 'kms:Sign']));
  });

  test('Functions that store credentials encrypt them with the key of the operator, and no others know it', () => {
    const knowing = set.all('AWS::Lambda::Function').filter((fn) => variablesOf(fn)['SECRETS_KEY'] !== undefined);
    const storing = set
      .all('AWS::Lambda::Function')
      .filter((fn) => statementsOf(set, fn).some(({ Action }) => Action.includes('ssm:PutParameter')));
    expect(knowing.length).toBeGreaterThan(0);
    expect(knowing.map(nameOf)).toEqual(storing.map(nameOf));
    expect(new Set(knowing.map((fn) => variablesOf(fn)['SECRETS_KEY']))).toEqual(new Set([KEY]));
  });

  test('The guide has a key policy that lets each AWS service which sends to queues and topics, or writes logs, use the key', async () => {
    const guide = await readFile(join(PROJECT, 'infra/README.md'), 'utf8');
    const section = guide.slice(guide.indexOf('### A key of your own'));
    const [, json = ''] = /```json\n([^`]+)```/.exec(section) ?? [];
    const Statement = z.object({ Principal: z.object({ Service: z.string() }).or(z.object({ AWS: z.string() })) });
    const statements = z.array(Statement).parse(JSON.parse(json));
    const named = statements.flatMap(({ Principal }) => ('Service' in Principal ? [Principal.Service] : []));
    const Service = z.object({ Service: z.string() });
    const senders = ['AWS::SQS::QueuePolicy', 'AWS::SNS::TopicPolicy'].flatMap((type) =>
      set.all(type).flatMap(({ Properties }) =>
        PolicyDocument.parse(Properties.PolicyDocument).Statement.flatMap(({ Principal }) => {
          const service = Service.safeParse(Principal);
          return service.success ? [service.data.Service] : [];
        }),
      ),
    );
    expect(new Set(named)).toEqual(new Set([...senders, 'logs.<region>.amazonaws.com']));
  });
});

describe('who reaches the API', () => {
  test('Without settings, everybody reaches the API, and it has no resource policy', () => {
    expect(plain.text()).not.toContain('x-amazon-apigateway-policy');
    expect(buildResourcePolicy({})).toBeUndefined();
  });

  test('A private API is reached only through the given endpoints, from the given networks, under a new deployment', () => {
    const { Body, EndpointConfiguration } = set.only('AWS::ApiGateway::RestApi').Properties;
    const vpcEndpointIds = ['vpce-0a1', 'vpce-0b2'];
    expect(EndpointConfiguration).toEqual({
      Types: ['PRIVATE'],
      IpAddressType: 'dualstack',
      VpcEndpointIds: vpcEndpointIds,
    });
    const everything = { Principal: '*', Action: 'execute-api:Invoke', Resource: 'execute-api:/*' };
    expect(Body).toHaveProperty('x-amazon-apigateway-policy.Statement', [
      { Effect: 'Allow', ...everything },
      { Effect: 'Deny', ...everything, Condition: { StringNotEquals: { 'aws:SourceVpce': vpcEndpointIds } } },
      {
        Effect: 'Deny',
        ...everything,
        Condition: { NotIpAddress: { 'aws:VpcSourceIp': ['203.0.113.0/24', '198.51.100.7/32'] } },
      },
    ]);
    const [open, closed] = [plain, set].map((template) => template.only('AWS::ApiGateway::Deployment').id);
    expect(open).not.toBe(closed);
  });

  test('A client that the resource policy refuses is told about the network, because API Gateway answers as for a missing permission', () => {
    expect(set.text()).toContain('Without this header, the service takes no requests from your network');
    expect(plain.text()).not.toContain('from your network');
  });

  test('An API that only IPv4 networks may use has no IPv6 address, which clients would prefer and be refused at', () => {
    expect(buildEndpoint({})).toEqual({ types: ['REGIONAL'], ipAddressType: 'dualstack' });
    expect(buildEndpoint({ allowedSources: ['203.0.113.0/24'] }).ipAddressType).toBe('ipv4');
    expect(buildEndpoint({ allowedSources: ['203.0.113.0/24', '2001:db8::/32'] }).ipAddressType).toBe('dualstack');
    expect(buildResourcePolicy({ allowedSources: ['203.0.113.0/24'] })).toHaveProperty('Statement.1.Condition', {
      NotIpAddress: { 'aws:SourceIp': ['203.0.113.0/24'] },
    });
  });
});

describe('concurrency', () => {
  test('is reserved for the authorizer alone', () => {
    const reserved = (template: Synthesized) =>
      template
        .all('AWS::Lambda::Function')
        .filter(({ Properties }) => Properties['ReservedConcurrentExecutions'] !== undefined)
        .map((fn) => [nameOf(fn), fn.Properties['ReservedConcurrentExecutions']]);
    expect(reserved(set)).toEqual([['authorizer', 200]]);
    expect(reserved(plain)).toEqual([]);
  });

  test('The authorizer and the functions that each machine or test calls keep environments ready, and the API calls these', () => {
    const aliases = set.all('AWS::Lambda::Alias').map(({ Properties, id }) => {
      expect(Properties['ProvisionedConcurrencyConfig']).toEqual({ ProvisionedConcurrentExecutions: 3 });
      const permissions = set
        .all('AWS::Lambda::Permission')
        .filter(({ Properties: { FunctionName } }) => JSON.stringify(FunctionName) === JSON.stringify({ Ref: id }));
      expect(permissions.length, id).toBeGreaterThan(0);
      return nameOf(set.target(Properties['FunctionName']));
    });
    expect(new Set(aliases)).toEqual(new Set(['authorizer', ...WARM_FUNCTIONS]));
    const body = JSON.stringify(set.only('AWS::ApiGateway::RestApi').Properties.Body);
    const called = [...body.matchAll(/:function:rundown-prod-(\w+):live\/invocations/g)].map(([, name]) => name);
    expect(new Set(called)).toEqual(new Set(aliases));
    expect(plain.text()).not.toContain(':live/invocations');
    expect(plain.all('AWS::Lambda::Alias')).toEqual([]);
  });
});

test("API Gateway's log role of the account is left alone if the setting says so", () => {
  expect(plain.all('AWS::ApiGateway::Account')).toHaveLength(1);
  expect(set.all('AWS::ApiGateway::Account')).toEqual([]);
  expect(set.text()).not.toContain('AmazonAPIGatewayPushToCloudWatchLogs');
});

test('The table has the class of the setting', () => {
  expect(plain.only('AWS::DynamoDB::Table').Properties).not.toHaveProperty('TableClass');
  expect(set.only('AWS::DynamoDB::Table').Properties).toMatchObject({ TableClass: 'STANDARD_INFREQUENT_ACCESS' });
});

test.each([
  [{ access: 'private' }, 'access=... and vpcEndpoints='],
  [{ vpcEndpoints: 'vpce-0a1' }, 'access=... and vpcEndpoints='],
  [{ access: 'private', vpcEndpoints: 'vpc-0a1' }, 'must be ids such as vpce-'],
  [
    {
      access: 'private',
      vpcEndpoints: 'vpce-0a1',
      domain: EVERY_SETTING.domain,
      certificate: EVERY_SETTING.certificate,
    },
    'cannot be private with domain=',
  ],
  [{ allowedSources: '203.0.113.7' }, 'must be networks in CIDR notation'],
  [{ allowedSources: Array.from({ length: 151 }, (_, n) => `10.0.${n}.0/24`).join(',') }, 'at most 150 networks'],
  [{ kmsKey: 'alias/rundown' }, 'must be the ARN of a symmetric key'],
  [{ tableClass: 'infrequent' }, 'must be standard or standard-infrequent-access'],
  [{ reservedConcurrency: 0 }, 'must be a whole number from 1'],
  [{ reservedConcurrency: 2, provisionedConcurrency: 3 }, 'must not be larger than reservedConcurrency'],
  [{ reservedConcurrency: 901 }, 'must leave 100 of lambdaConcurrency'],
  [{ provisionedConcurrency: 113 }, 'for 8 functions'],
  [{ accountLogging: 'no' }, 'must be true or false'],
])('Settings of the account are refused if they are wrong: %o', (settings, problem) => {
  expect(() => parseAppSettings('prod', settings)).toThrow(problem);
});

test('Reserved and provisioned concurrency may use all but 100 of the concurrency of the account', () => {
  expect(parseAppSettings('prod', { reservedConcurrency: 900 }).reservedConcurrency).toBe(900);
  expect(parseAppSettings('prod', { provisionedConcurrency: 112 }).provisionedConcurrency).toBe(112);
  expect(parseAppSettings('prod', { lambdaConcurrency: 10 }).lambdaConcurrency).toBe(10);
});

test('A budget is refused in a region where CloudFormation has none, and accepted elsewhere', () => {
  const stack = new Stack(new App(), 'Stack');
  const budget = { dollarsPerMonth: 500, email: 'on-call@example.com' };
  for (const region of ['eu-north-1', 'us-gov-west-1'])
    expect(() => addBudget(stack, budget, region)).toThrow(`-c budget=... cannot be used in ${region}`);
  expect(() => addBudget(stack, budget, 'eu-west-1')).not.toThrow();
});
