import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { startService } from '#infra/local/service.ts';
import { loadAssembly } from '#infra/local/template/assembly.ts';
import { Stack } from '#infra/local/template/stack.ts';
import { ASSEMBLY } from './assembly.ts';
import { changed, withResource } from './changed-assembly.ts';

const NAMES = { tableName: 'results', bucketName: 'artifacts', sqsEndpoint: 'http://127.0.0.1:9324' };
const NOWHERE = {
  dynamodbEndpoint: 'http://127.0.0.1:1',
  s3Endpoint: 'http://127.0.0.1:1',
  sqsEndpoint: 'http://127.0.0.1:1',
  kmsEndpoint: 'http://127.0.0.1:1',
  ssmEndpoint: 'http://127.0.0.1:1',
};

const Json = z.record(z.string(), z.unknown());

const newRows = (prefix: string, eventName = 'INSERT') =>
  JSON.stringify({ eventName: [eventName], dynamodb: { Keys: { pk: { S: [{ prefix }] } } } });

const started = (assembly: string) => startService({ assembly, engines: NOWHERE });

describe('a stack', () => {
  test('contains the resources of its nested stacks', async () => {
    const stack = await Stack.load(await loadAssembly(ASSEMBLY), NAMES);
    const functions = stack.resources('AWS::Lambda::Function').map(({ reference }) => reference);
    expect(functions).toEqual(
      ['echo', 'answer', 'authorizer', 'broken', 'store', 'work'].map((name) => `fixture-${name}`),
    );
  });

  test('passes outputs of a nested stack to parameters of another nested stack', async () => {
    const stack = await Stack.load(await loadAssembly(ASSEMBLY), NAMES);
    const [echo] = stack.resources('AWS::Lambda::Function');
    expect(echo?.property('Environment')).toEqual({
      Variables: { TABLE_NAME: 'results', PUBLIC_ORIGIN: 'https://rundown.execute-api.us-east-1.amazonaws.com/dev' },
    });
  });

  test('resolves the ARN and the URL of a queue', async () => {
    const stack = await Stack.load(await loadAssembly(ASSEMBLY), NAMES);
    const [deadLetters] = stack.resources('AWS::SQS::Queue');
    expect(deadLetters?.attribute('Arn')).toBe('arn:aws:sqs:us-east-1:000000000000:fixture-dead-letters');
    expect(deadLetters?.reference).toBe('http://127.0.0.1:9324/000000000000/fixture-dead-letters');
  });
});

describe('an unsupported part of a template', () => {
  test.each([
    ['a second table', 'AWS::DynamoDB::Table', {}, 'supports only one AWS::DynamoDB::Table, but the template has more'],
    ['a second API', 'AWS::ApiGateway::RestApi', {}, 'exactly one AWS::ApiGateway::RestApi, but the template has 2'],
    [
      'a gateway response outside the API definition',
      'AWS::ApiGateway::GatewayResponse',
      { ResponseType: 'UNAUTHORIZED' },
      'move it into x-amazon-apigateway-gateway-responses',
    ],
  ])('causes an error about it: %s', async (_, Type, Properties, message) => {
    await expect(started(await withResource('Extra', { Type, Properties }))).rejects.toThrow(message);
  });

  test('a template in which clients, and not the authorizer, provide the gateway key is refused', async () => {
    const source = '"x-amazon-apigateway-api-key-source": "AUTHORIZER"';
    const assembly = await changed('gateway.nested.template.json', (content) => content.replace(`${source},`, ''));
    await expect(started(assembly)).rejects.toThrow('supports only keys that an authorizer returns');
  });

  const SOURCE = { EventSourceArn: 'arn:aws:sqs:us-east-1:000000000000:q', FunctionName: 'fixture-work' };

  test.each([
    [
      'a stream of another table',
      { ...SOURCE, EventSourceArn: 'arn:aws:dynamodb:us-east-1:000000000000:table/t/stream/1' },
    ],
    ['a filter', { ...SOURCE, FilterCriteria: { Filters: [] } }],
    ['a window', { ...SOURCE, MaximumBatchingWindowInSeconds: 5 }],
  ])('an event source with %s is refused, and the error names the event source', async (_, Properties) => {
    const assembly = await withResource('Extra', { Type: 'AWS::Lambda::EventSourceMapping', Properties });
    await expect(started(assembly)).rejects.toThrow('does not support the event source Extra');
  });

  const TO_QUEUE = [{ Id: 'a', Arn: 'arn:aws:sqs:us-east-1:000000000000:q' }];
  const RULE = { EventBusName: 'events', EventPattern: { source: ['rundown'] }, Targets: TO_QUEUE };

  test.each([
    ['that matches a prefix', { ...RULE, EventPattern: { source: [{ prefix: 'run' }] } }],
    ['that matches the detail', { ...RULE, EventPattern: { detail: { group: ['a'] } } }],
    ['with a schedule', { ...RULE, ScheduleExpression: 'rate(1 minute)' }],
    ['for a function', { ...RULE, Targets: [{ Id: 'a', Arn: 'arn:aws:lambda:us-east-1:000000000000:function:f' }] }],
    ['that changes the event', { ...RULE, Targets: [{ ...TO_QUEUE[0], InputPath: '$.detail' }] }],
  ])('a rule %s is refused, and the error names the rule', async (_, Properties) => {
    const assembly = await withResource('Extra', { Type: 'AWS::Events::Rule', Properties });
    await expect(started(assembly)).rejects.toThrow('does not support the rule Extra');
  });

  const STREAM = {
    EventSourceArn: 'arn:aws:dynamodb:us-east-1:000000000000:table/rundown/stream/local',
    FunctionName: 'fixture-work',
    StartingPosition: 'TRIM_HORIZON',
    FunctionResponseTypes: ['ReportBatchItemFailures'],
    MaximumRetryAttempts: 3,
    MaximumRecordAgeInSeconds: 60,
    FilterCriteria: { Filters: [{ Pattern: newRows('OUTBOX#') }] },
  };

  test.each([
    ['without a filter', { FilterCriteria: undefined }, 'does not support the event source Extra'],
    ['for other rows', { FilterCriteria: { Filters: [{ Pattern: newRows('RUN#') }] } }, 'Extra has the filter'],
    [
      'for changed rows',
      { FilterCriteria: { Filters: [{ Pattern: newRows('OUTBOX#', 'MODIFY') }] } },
      'the outbox, but Extra has the filter',
    ],
    ['without a retry limit', { MaximumRetryAttempts: undefined }, 'does not support the event source Extra'],
    ['whose batches fail as a whole', { FunctionResponseTypes: undefined }, 'does not support the event source Extra'],
    ['that halves batches', { BisectBatchOnFunctionError: true }, 'does not support the event source Extra'],
  ])('a stream of the table %s is refused, and the error names its event source', async (_, changes, message) => {
    const resource = { Type: 'AWS::Lambda::EventSourceMapping', Properties: { ...STREAM, ...changes } };
    await expect(started(await withResource('Extra', resource))).rejects.toThrow(message);
  });

  test('an event source without a function is refused, and the error names the event source', async () => {
    const Properties = { ...SOURCE, FunctionName: 'gone' };
    const assembly = await withResource('Extra', { Type: 'AWS::Lambda::EventSourceMapping', Properties });
    await expect(started(assembly)).rejects.toThrow('Extra invokes gone, which no stack defines');
  });

  test.each([
    ['to a function', '"QueueConfigurations"', '"LambdaConfigurations"'],
    ['of deletions', 's3:ObjectCreated:Put', 's3:ObjectRemoved:*'],
  ])('a bucket notification %s is refused', async (_, from, to) => {
    const assembly = await changed('data.nested.template.json', (content) => content.replaceAll(from, to));
    await expect(started(assembly)).rejects.toThrow('supports only notifications of new objects to queues');
  });

  test('a reference to an unknown resource is refused, and the error names the resource', async () => {
    const Code = { S3Key: 'echo.zip' };
    const Environment = { Variables: { A: { 'Fn::GetAtt': ['Topic', 'TopicName'] } } };
    const Properties = { Code, Environment, Handler: 'index.handler' };
    const directory = await withResource('Extra', { Type: 'AWS::Lambda::Function', Properties });
    const stack = await Stack.load(await loadAssembly(directory), NAMES);
    const extra = stack.resources('AWS::Lambda::Function').find(({ logicalId }) => logicalId === 'Extra');
    expect(() => extra?.property('Environment')).toThrow('Fixture refers to Topic, which it does not define');
  });

  test('a condition on a function is refused, and the error names the function', async () => {
    const resource = { Type: 'AWS::Lambda::Function', Condition: 'IsProd', Properties: {} };
    const stack = await Stack.load(await loadAssembly(await withResource('Extra', resource)), NAMES);
    const extra = stack.resources('AWS::Lambda::Function').find(({ logicalId }) => logicalId === 'Extra');
    expect(() => extra?.property('Handler')).toThrow('Extra has a Condition');
  });

  test.each([
    ['a route without a function', 'fixture-echo/', 'fixture-gone/', 'which no stack defines'],
    ['an integration of another kind', 'aws_proxy', 'http_proxy', 'aws_proxy'],
    [
      'an authorizer that caches',
      '"authorizerResultTtlInSeconds": 0',
      '"authorizerResultTtlInSeconds": 300',
      'authorizerResultTtlInSeconds',
    ],
    ['text bodies', '*/*', 'image/png', 'supports only BinaryMediaTypes ["*/*"]'],
    ['a parameter inside a path segment', '/runs/find', '/runs/a{name}', 'does not support the path segment a{name}'],
    [
      'another mapping template',
      '$context.authorizer.reason',
      '$input.path',
      'uses $input, which the local runner does not support',
    ],
    ['a header from the request', "'Bearer'", 'method.request.header.X', 'does not support'],
  ])('causes an error about it: %s', async (_, from, to, message) => {
    const directory = await changed('gateway.nested.template.json', (content) => content.replaceAll(from, to));
    await expect(started(directory)).rejects.toThrow(message);
  });
});

describe('an assembly', () => {
  test('An assembly with two stacks is refused', async () => {
    const directory = await changed('manifest.json', (content) => {
      const manifest = z.object({ artifacts: Json }).parse(JSON.parse(content));
      return JSON.stringify({ artifacts: { ...manifest.artifacts, Second: manifest.artifacts.Fixture } });
    });
    await expect(loadAssembly(directory)).rejects.toThrow('runs one stack');
  });

  test('is refused if an asset of its template is missing', async () => {
    const directory = await changed('Fixture.assets.json', () => '{"files":{}}');
    await expect(started(directory)).rejects.toThrow('has no asset data.json: synthesize again');
  });
});
