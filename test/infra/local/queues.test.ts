import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { sendAwsRequest } from '#infra/local/host/aws-request.ts';
import { startService } from '#infra/local/service.ts';
import { startS3 } from '#infra/local/stores/s3.ts';
import { formatNotificationXml } from '#infra/local/stores/s3-notifications.ts';
import { startSqs } from '#infra/local/stores/sqs.ts';
import { ASSEMBLY } from './assembly.ts';
import { run } from './child.ts';
import { localService } from './local-service.ts';
import { messagesOf } from './messages.ts';
import { presignedLink } from './presigned-link.ts';

const running = localService();
const messages = () => messagesOf(running().service.environment);

const upload = async (key: string, body: string, bucket = 'rundown-artifacts'): Promise<Response> =>
  fetch(await presignedLink(running().service.environment, 'PUT', { key, bucket }), { method: 'PUT', body });

describe('the notification of an upload', () => {
  test('reaches the function in the format of S3', async () => {
    const sent = await upload('org/in-stance/a%20b%2B%C3%A9', 'bytes');
    expect(sent.status).toBe(200);
    const key = 'org/in-stance/a+b%2B%C3%A9';
    await expect.poll(() => messages().noted(key)).toBeDefined();
    const noted = await messages().noted(key);
    expect(noted?.record).toMatchObject({
      eventSource: 'aws:sqs',
      eventSourceARN: 'arn:aws:sqs:us-east-1:000000000000:fixture-work',
      awsRegion: 'us-east-1',
      attributes: { ApproximateReceiveCount: '1', SentTimestamp: expect.stringMatching(/^\d{13}$/) },
      messageAttributes: {},
      md5OfBody: createHash('md5').update(`${noted?.record.body}`).digest('hex'),
    });
    expect(JSON.parse(`${noted?.record.body}`)).toMatchObject({
      Records: [
        {
          eventVersion: '2.1',
          eventSource: 'aws:s3',
          eventName: 'ObjectCreated:Put',
          s3: {
            bucket: { name: 'rundown-artifacts', arn: 'arn:aws:s3:::rundown-artifacts' },
            object: { key, size: 5, eTag: createHash('md5').update('bytes').digest('hex') },
          },
        },
      ],
    });
  });

  test('A repeated upload sends another notification', async () => {
    for (const body of ['first', 'second']) expect((await upload('twice', body)).status).toBe(200);
    await expect.poll(async () => (await messages().noted('twice'))?.times).toBe(2);
  });

  test('An upload fails if its notification cannot reach the queue', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'rundown-test-'));
    const sqs = await startSqs(undefined);
    const s3 = await startS3({ directory, sqsEndpoint: sqs.endpoint });
    onTestFinished(() => s3.close());
    onTestFinished(() => rm(directory, { recursive: true }));
    const put = (call: object) =>
      sendAwsRequest({ service: 's3', endpoint: s3.endpoint, method: 'PUT', path: '/rundown-artifacts', ...call });
    const Queue = 'arn:aws:sqs:us-east-1:000000000000:gone';
    const body = formatNotificationXml({ QueueConfigurations: [{ Event: 's3:ObjectCreated:Put', Queue }] });
    expect((await put({})).status).toBe(200);
    expect((await put({ query: { notification: '' }, body })).status).toBe(200);
    const environment = { ...running().service.environment, AWS_ENDPOINT_URL_S3: s3.endpoint };
    const send = async () => (await fetch(await presignedLink(environment, 'PUT', {}), { method: 'PUT' })).status;
    expect(await send()).toBe(500);
    await sqs.close();
    expect(await send()).toBe(500);
  });
});

describe('a message', () => {
  test('A message that is handled successfully is removed, and is not delivered again', async () => {
    await messages().send({ id: 'one' }, { id: 'two' });
    await expect.poll(() => messages().count('work')).toBe(0);
    for (const id of ['one', 'two']) expect(await messages().noted(id)).toMatchObject({ times: 1 });
  });

  test('becomes a dead letter after three failures, and the other messages of its batch are handled only once', async () => {
    const before = await messages().count('deadLetters');
    await messages().send({ id: 'good' }, { id: 'poison', fails: true }, { id: 'fine' });
    await expect.poll(() => messages().count('deadLetters')).toBe(before + 1);
    expect(await messages().noted('poison')).toMatchObject({
      times: 3,
      record: { attributes: { ApproximateReceiveCount: '3' } },
    });
    for (const id of ['good', 'fine']) expect(await messages().noted(id)).toMatchObject({ times: 1 });
    await expect.poll(() => messages().count('work')).toBe(0);
  });

  test('is delivered again when the function throws, and the error is logged', async () => {
    await messages().send({ id: 'thrown', throwsOnce: 'out of order' });
    await expect.poll(async () => (await messages().noted('thrown'))?.times).toBe(1);
    expect((await messages().noted('thrown'))?.record.attributes.ApproximateReceiveCount).toBe('2');
    expect(running().faults.join()).toContain('fixture-work: Error: out of order');
  });

  test.each([
    ['is not an object', 'text'],
    ['names an unknown message', { batchItemFailures: [{ itemIdentifier: 'unknown' }] }],
    ['has an empty message id', { batchItemFailures: [{ itemIdentifier: '' }] }],
    ['has an unknown property', { batchItemFailures: [{ id: 'x' }] }],
  ])('A whole batch of messages is delivered again if the response %s', async (name, answersOnce) => {
    await messages().send({ id: `first of ${name}`, answersOnce }, { id: `second of ${name}` });
    for (const id of [`first of ${name}`, `second of ${name}`]) {
      await expect.poll(async () => (await messages().noted(id))?.times).toBe(2);
    }
  });

  test.each([
    ['is null', null],
    ['is an empty object', {}],
    ['has null instead of a list', { batchItemFailures: null }],
  ])('is removed if the response %s', async (name, answersOnce) => {
    await messages().send({ id: `answered ${name}`, answersOnce });
    await expect.poll(() => messages().count('work')).toBe(0);
    expect(await messages().noted(`answered ${name}`)).toMatchObject({ times: 1 });
  });
});

describe('a service', () => {
  test('Two services that share their stores have separate queues', async () => {
    const names = { tableName: 'beside', bucketName: 'beside', queuePrefix: 'beside-' };
    const service = await startService({ assembly: ASSEMBLY, engines: running().engines, ...names });
    onTestFinished(service.close);
    expect((await upload('mine', 'x', 'beside')).status).toBe(200);
    expect((await upload('theirs', 'x')).status).toBe(200);
    const beside = messagesOf(service.environment, names);
    await expect.poll(() => beside.noted('mine')).toBeDefined();
    await expect.poll(() => messages().noted('theirs')).toBeDefined();
    expect(await messages().noted('mine')).toBeUndefined();
    expect(await beside.noted('theirs')).toBeUndefined();
  });

  test('logs a missing queue once, and continues when the queue exists again', async () => {
    const names = { tableName: 'gone', bucketName: 'gone', queuePrefix: 'gone-' };
    const faults: string[] = [];
    const onFault = (line: string) => void faults.push(line);
    const service = await startService({ assembly: ASSEMBLY, engines: running().engines, onFault, ...names });
    onTestFinished(service.close);
    const { remove, create, send, noted } = messagesOf(service.environment, names);
    await remove();
    await expect.poll(() => faults).toHaveLength(1);
    expect(faults[0]).toContain('arn:aws:sqs:us-east-1:000000000000:gone-fixture-work cannot be read: ReceiveMessage');
    await create();
    await send({ id: 'back' });
    await expect.poll(() => noted('back')).toBeDefined();
    expect(faults).toHaveLength(1);
  });

  test('sets the visibility timeout of its template on a queue that exists with another timeout', async () => {
    const names = { tableName: 'again', bucketName: 'again', queuePrefix: 'again-' };
    const options = { assembly: ASSEMBLY, engines: running().engines, ...names };
    const first = await startService(options);
    await first.close();
    const { hideFor, attributes } = messagesOf(first.environment, names);
    await hideFor(77);
    const second = await startService(options);
    onTestFinished(second.close);
    expect(await attributes('work', ['VisibilityTimeout'])).toEqual({ VisibilityTimeout: '1' });
  });

  test('A process exits after its service has been closed', async () => {
    expect(await run(['test/infra/local/open-and-close.ts'])).toEqual({ status: 0, output: 'closed\n' });
  });
});
