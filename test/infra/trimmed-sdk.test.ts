import { stat } from 'node:fs/promises';
import { Agent } from 'node:https';
import { join } from 'node:path';
import { marshall } from '@aws-sdk/util-dynamodb';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type FunctionHandler, loadHandler } from '#infra/local/lambda/function-runtime.ts';
import { type OutboxRow, outbox } from '#shared/model/events/outbox.ts';
import { ENVIRONMENT } from '#shared/platform/environment.ts';
import { deliveryRow, eventsRow, runEvent } from '#test/events/rows.ts';
import { deployedBundles } from '#test/harness/assemblies.ts';
import { CONTEXT } from '#test/infra/local/lambda-context.ts';

const bundles = await deployedBundles();

/** Hosts that the bundles try to connect to. No connection is made. */
const hosts = new Set<string>();
beforeEach(() => {
  hosts.clear();
  vi.spyOn(Agent.prototype, 'createConnection').mockImplementation(({ host, port }) => {
    hosts.add(`${host}:${port}`);
    throw new Error('Tests must not connect to other machines');
  });
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

/** Loads the deployed bundle with environment variables that set no endpoint. */
function deployed(name: string, region: string, suffix: string): FunctionHandler {
  const environment = {
    AWS_REGION: region,
    AWS_ACCESS_KEY_ID: 'a',
    AWS_SECRET_ACCESS_KEY: 'b',
    [ENVIRONMENT.tableName]: 'results',
    [ENVIRONMENT.artifactsBucket]: 'artifacts',
    [ENVIRONMENT.publicOrigin]: 'https://results.example.com',
    [ENVIRONMENT.eventBus]: 'runs',
    [ENVIRONMENT.deliveryQueue]: `https://sqs.${region}.${suffix}/123456789012/deliveries`,
    [ENVIRONMENT.notificationQueue]: `https://sqs.${region}.${suffix}/123456789012/notifications`,
  };
  const directory = join(bundles, name);
  return loadHandler({ directory, handler: 'index.handler', environment }, { onLog: () => {}, onFault: () => {} });
}

/** A stream event as Lambda sends it, with bytes as Base64. */
function streamEvent(row: OutboxRow) {
  const image = marshall(outbox.store(row), { removeUndefinedValues: true });
  const { packed } = image;
  const NewImage = { ...image, packed: { B: Buffer.from(packed?.B ?? []).toString('base64') } };
  return { Records: [{ dynamodb: { SequenceNumber: '1', NewImage } }] };
}

test.each([
  ['eu-central-1', 'amazonaws.com'],
  ['cn-north-1', 'amazonaws.com.cn'],
])('the bundled SDK uses the AWS endpoints of %s', async (region, suffix) => {
  const relay = deployed('relay-outbox', region, suffix);
  const failed = { batchItemFailures: [{ itemIdentifier: '1' }] };
  expect(await relay(streamEvent(eventsRow(runEvent('run-1'))), CONTEXT)).toEqual(failed);
  expect([...hosts]).toEqual([`events.${region}.${suffix}:443`]);
  hosts.clear();
  expect(await relay(streamEvent(deliveryRow('msg-1')), CONTEXT)).toEqual(failed);
  expect([...hosts]).toEqual([`sqs.${region}.${suffix}:443`]);
  hosts.clear();
  const cleanUp = deployed('clean-up-tokens', region, suffix);
  await expect(cleanUp({ scheduledTime: '2026-11-02T10:00:00Z' }, CONTEXT)).rejects.toThrow();
  expect([...hosts]).toEqual([`dynamodb.${region}.${suffix}:443`]);
});

test('a deployed function interprets its zod schemas, and does not compile them to code at run time', async () => {
  const compiled: unknown[] = [];
  const construct = (target: FunctionConstructor, given: string[]) => {
    compiled.push(given);
    return Reflect.construct(target, given);
  };
  vi.stubGlobal('Function', new Proxy(Function, { construct }));
  const event = { httpMethod: 'GET', path: '/', requestContext: { authorizer: {} }, body: null };
  const answer = await deployed('get-run', 'eu-central-1', 'amazonaws.com')(event, CONTEXT);
  expect(answer).toMatchObject({ statusCode: 401 });
  expect(compiled).toEqual([]);
});

test('the bundled function of the sign-in pages is smaller than 440 KB', async () => {
  const { size } = await stat(join(bundles, 'sign-in/index.js'));
  expect(size / 1024).toBeLessThan(440);
});
