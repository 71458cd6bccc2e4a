import { request } from 'node:http';
import { describe, expect, onTestFinished, test } from 'vitest';
import { sendAwsJsonRequest } from '#infra/local/host/aws-request.ts';
import { listen } from '#infra/local/host/http-server.ts';
import { type LocalService, startService } from '#infra/local/service.ts';
import { startEngines } from '#infra/local/stores/engines.ts';
import { noise } from '#test/harness/noise.ts';
import { ASSEMBLY } from './assembly.ts';
import { localService } from './local-service.ts';
import { messagesOf } from './messages.ts';
import { type Link, presignedLink } from './presigned-link.ts';

const running = localService();

async function dynamodb(operation: string, input: object): Promise<unknown> {
  const endpoint = running().engines.dynamodbEndpoint;
  return JSON.parse((await sendAwsJsonRequest({ service: 'dynamodb', endpoint, operation, input })).body);
}

const row = (id: string) => dynamodb('GetItem', { TableName: 'rundown', Key: { pk: { S: id }, sk: { S: 'row' } } });
const store = ({ origin }: LocalService, id: string) =>
  fetch(`${origin}/store`, { method: 'POST', body: JSON.stringify({ id }) });

const link = (method: string, options: Link = {}) => presignedLink(running().service.environment, method, options);

describe('the table', () => {
  test('has the keys, the index and the expiry attribute of the template', async () => {
    expect(await dynamodb('DescribeTable', { TableName: 'rundown' })).toMatchObject({
      Table: {
        KeySchema: [
          { AttributeName: 'pk', KeyType: 'HASH' },
          { AttributeName: 'sk', KeyType: 'RANGE' },
        ],
        GlobalSecondaryIndexes: [{ IndexName: 'byOwner' }],
        BillingModeSummary: { BillingMode: 'PAY_PER_REQUEST' },
      },
    });
    expect(await dynamodb('DescribeTimeToLive', { TableName: 'rundown' })).toEqual({
      TimeToLiveDescription: { AttributeName: 'expiresAt', TimeToLiveStatus: 'ENABLED' },
    });
  });

  test('has no stream if no function reads it, because a stream slows down writes', async () => {
    expect(await dynamodb('DescribeTable', { TableName: 'rundown' })).not.toHaveProperty('Table.StreamSpecification');
  });

  test('stores what functions write', async () => {
    expect((await store(running().service, 'a')).status).toBe(200);
    expect(await row('a')).toMatchObject({ Item: { ownerId: { S: 'me' } } });
  });

  test('A second service with the same stores reuses the table', async () => {
    await store(running().service, 'b');
    const second = await startService({ assembly: ASSEMBLY, engines: running().engines });
    await second.close();
    expect(await row('b')).toMatchObject({ Item: { ownerId: { S: 'me' } } });
  });

  test('A service with another table name has a separate table', async () => {
    const names = { tableName: 'other', bucketName: 'other' };
    const second = await startService({ assembly: ASSEMBLY, engines: running().engines, ...names });
    expect((await store(second, 'c')).status).toBe(200);
    await second.close();
    expect(await row('c')).toEqual({});
  });
});

describe('queues', () => {
  test('have the dead-letter queue and visibility timeout of the template', async () => {
    const { attributes } = messagesOf(running().service.environment);
    expect(await attributes('work', ['VisibilityTimeout', 'RedrivePolicy'])).toEqual({
      VisibilityTimeout: '1',
      RedrivePolicy:
        '{"deadLetterTargetArn":"arn:aws:sqs:us-east-1:000000000000:fixture-dead-letters","maxReceiveCount":3}',
    });
  });
});

describe('a presigned URL', () => {
  test('A presigned PUT URL accepts an upload, and a presigned GET URL returns the file with the signed name and type', async () => {
    const headers = { 'Content-Type': 'application/zip', 'Content-Disposition': 'inline' };
    const put = await fetch(await link('PUT'), { method: 'PUT', body: 'bytes', headers });
    expect(put.status).toBe(200);
    const query = {
      'response-content-disposition': "attachment; filename*=UTF-8''a%20b.zip",
      'response-content-type': 'text/plain',
    };
    const got = await fetch(await link('GET', { query }));
    expect(await got.text()).toBe('bytes');
    expect(got.headers.get('content-disposition')).toBe("attachment; filename*=UTF-8''a%20b.zip");
    expect(got.headers.get('content-type')).toBe('text/plain');
  });

  test('can transfer a file of more than 30 MB', async () => {
    const bytes = noise(32 * 1024 * 1024);
    expect((await fetch(await link('PUT', { key: 'big' }), { method: 'PUT', body: bytes })).status).toBe(200);
    const got = Buffer.from(await (await fetch(await link('GET', { key: 'big' }))).arrayBuffer());
    expect(got.equals(bytes)).toBe(true);
  });

  test('is invalid for another key or method, after its expiry, or with a signed payload', async () => {
    const put = await link('PUT');
    const upload = { method: 'PUT', body: 'x' };
    expect((await fetch(put.replace('trace.zip', 'other.zip'), upload)).status).toBe(403);
    expect((await fetch(put)).status).toBe(403);
    expect((await fetch(put.replace(/Expires=60/, 'Expires=600'), upload)).status).toBe(403);
    expect((await fetch(await link('PUT', { signingDate: new Date(Date.now() - 61_000) }), upload)).status).toBe(403);
    expect((await fetch(await link('PUT', { signPayload: true }), upload)).status).toBe(403);
  });

  test('A request with a presigned URL is refused if it has an unsigned x-amz header, such as one that copies another file or sets the access or the storage class', async () => {
    await fetch(await link('PUT', { key: 'theirs' }), { method: 'PUT', body: 'secret' });
    const orders = {
      'x-amz-copy-source': '/rundown-artifacts/theirs',
      'X-Amz-Acl': 'public-read',
      'x-amz-storage-class': 'GLACIER',
      'x-amz-meta-name': 'mine',
      'x-amz-anything': '1',
    };
    for (const [name, value] of Object.entries(orders)) {
      const put = { method: 'PUT', body: '', headers: { [name]: value } };
      expect({ name, status: (await fetch(await link('PUT', { key: 'mine' }), put)).status }).toEqual({
        name,
        status: 403,
      });
      const get = { headers: { [name]: value } };
      expect({ name, status: (await fetch(await link('GET', { key: 'theirs' }), get)).status }).toEqual({
        name,
        status: 403,
      });
    }
    expect((await fetch(await link('GET', { key: 'mine' }))).status).toBe(404);
  });

  test('A request without a signature is refused', async () => {
    const url = (await link('GET')).split('?')[0] ?? '';
    expect((await fetch(url)).status).toBe(403);
    expect((await fetch(url, { method: 'PUT', body: 'x' })).status).toBe(403);
    expect((await fetch(running().engines.s3Endpoint)).status).toBe(403);
  });

  test('A presigned URL for a key outside the data folder is refused', async () => {
    const { hostname, port, pathname, search } = new URL(await link('PUT', { key: 'a%2F..%2F..%2F..%2Fescaped' }));
    const path = `${pathname.replace('/..', '%2F..')}${search}`;
    const status = await new Promise((resolve) => {
      request({ hostname, port, path, method: 'PUT' }, (response) => resolve(response.resume().statusCode)).end('x');
    });
    expect(status).toBe(403);
  });

  test('An interrupted upload keeps the previous object', async () => {
    const url = await link('PUT', { key: 'kept' });
    await fetch(url, { method: 'PUT', body: 'whole' });
    await new Promise((resolve) => {
      const upload = request(url, { method: 'PUT', headers: { 'Content-Length': '1000000' } });
      upload.on('error', resolve).on('close', resolve);
      upload.write(noise(300_000), () => upload.destroy());
    });
    const got = await fetch(await link('GET', { key: 'kept' }));
    expect(await got.text()).toBe('whole');
  });
});

test('RUNDOWN_AWS_ENDPOINT replaces the local DynamoDB, S3 and SQS', async () => {
  process.env.RUNDOWN_AWS_ENDPOINT = 'http://127.0.0.1:4566/';
  const engines = await startEngines({}).finally(() => delete process.env.RUNDOWN_AWS_ENDPOINT);
  expect(engines).toMatchObject({
    dynamodbEndpoint: 'http://127.0.0.1:4566',
    s3Endpoint: 'http://127.0.0.1:4566',
    sqsEndpoint: 'http://127.0.0.1:4566',
  });
});

test('a store that does not respond is reported with its address', async () => {
  const engines = { ...running().engines, dynamodbEndpoint: 'http://127.0.0.1:1' };
  await expect(startService({ assembly: ASSEMBLY, engines })).rejects.toThrow('Nothing answers at http://127.0.0.1:1');
});

test('S3 uses the same port as the pages of the service, but another host name', async () => {
  const server = await listen(0);
  const engines = await startEngines({ server });
  const service = await startService({ assembly: ASSEMBLY, server, engines });
  onTestFinished(engines.close);
  onTestFinished(service.close);
  expect(engines.s3Endpoint).toBe(service.origin.replace('localhost', '127.0.0.1'));
  const put = await presignedLink(service.environment, 'PUT', {});
  expect((await fetch(put, { method: 'PUT', body: 'bytes' })).status).toBe(200);
  const get = await presignedLink(service.environment, 'GET', {});
  expect(await (await fetch(get)).text()).toBe('bytes');
  // An uploaded HTML page must not be served on the origin that has the session cookies.
  const path = get.slice(engines.s3Endpoint.length);
  expect((await fetch(`${service.origin}${path}`)).headers.get('content-type')).toBe('application/json');
});
