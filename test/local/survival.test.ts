import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { awsRequest } from '#infra/local/aws-request.ts';
import { type Served, serveFixture, temporaryFolder } from './child.ts';
import { presignedLink } from './presigned-link.ts';

const WRITERS = 8;
const Keys = z.object({ Items: z.array(z.object({ pk: z.object({ S: z.string() }) })) });

/** Writes until the service is gone; answers the ids whose writing it acknowledged. */
async function writeUntilGone({ origin }: Served, onAcknowledged: (count: number) => void): Promise<string[]> {
  const acknowledged: string[] = [];
  const write = async (writer: number) => {
    for (let number = 0; ; number++) {
      const id = `${writer}-${number}`;
      const response = await fetch(`${origin}/store`, { method: 'POST', body: JSON.stringify({ id }) }).catch(
        () => undefined,
      );
      if (!response) return;
      expect(response.status).toBe(200);
      onAcknowledged(acknowledged.push(id));
    }
  };
  await Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(writer)));
  return acknowledged;
}

async function storedIds({ environment }: Served): Promise<Set<string>> {
  const { status, body } = await awsRequest({
    service: 'dynamodb',
    endpoint: environment.AWS_ENDPOINT_URL_DYNAMODB ?? '',
    method: 'POST',
    path: '/',
    headers: { 'content-type': 'application/x-amz-json-1.0', 'x-amz-target': 'DynamoDB_20120810.Scan' },
    body: JSON.stringify({ TableName: 'rundown', ProjectionExpression: 'pk' }),
  });
  expect(status).toBe(200);
  return new Set(Keys.parse(JSON.parse(body)).Items.map(({ pk }) => pk.S));
}

describe('kill -9', { timeout: 30_000 }, () => {
  test('at three moments loses no write that was acknowledged', async () => {
    const folder = await temporaryFolder();
    let { child, served } = await serveFixture(folder);
    for (const killAfter of [1, 40, 150]) {
      const acknowledged = await writeUntilGone(served, (count) => void (count === killAfter && child.kill('SIGKILL')));
      expect(acknowledged.length).toBeGreaterThanOrEqual(killAfter);
      ({ child, served } = await serveFixture(folder));
      const stored = await storedIds(served);
      expect(acknowledged.filter((id) => !stored.has(id))).toEqual([]);
    }
  });

  test('loses no upload that was acknowledged', async () => {
    const folder = await temporaryFolder();
    const first = await serveFixture(folder);
    const bytes = Buffer.alloc(5_000_000, 'x');
    const upload = await fetch(await presignedLink(first.served.environment, 'PUT', {}), {
      method: 'PUT',
      body: bytes,
    });
    first.child.kill('SIGKILL');
    expect(upload.status).toBe(200);
    await once(first.child, 'exit');
    const { served } = await serveFixture(folder);
    const download = await fetch(await presignedLink(served.environment, 'GET', {}));
    expect(Buffer.from(await download.arrayBuffer()).equals(bytes)).toBe(true);
  });

  test('leaves no database process behind', async () => {
    const { child, served } = await serveFixture(await temporaryFolder());
    const endpoint = served.environment.AWS_ENDPOINT_URL_DYNAMODB ?? '';
    const answers = () =>
      fetch(endpoint).then(
        () => true,
        () => false,
      );
    expect(await answers()).toBe(true);
    child.kill('SIGKILL');
    await expect.poll(answers).toBe(false);
  });
});
