import { once } from 'node:events';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { sendAwsRequest } from '#infra/local/host/aws-request.ts';
import { sampled } from '#test/harness/cases.ts';
import { type Served, serveFixture, temporaryFolder } from './child.ts';
import { messagesOf } from './messages.ts';
import { presignedLink } from './presigned-link.ts';

const WRITERS = 8;
const Keys = z.object({ Items: z.array(z.object({ pk: z.object({ S: z.string() }) })) });

/** Calls `write` until the service stops responding. Returns the ids of the acknowledged writes. */
async function writeUntilGone(
  write: (id: string) => Promise<Response>,
  onAcknowledged: (count: number) => void,
): Promise<string[]> {
  const acknowledged: string[] = [];
  const writeOn = async (writer: number) => {
    for (let number = 0; ; number++) {
      const id = `${writer}-${number}`;
      const response = await write(id).catch(() => undefined);
      if (!response) return;
      expect(response.status).toBe(200);
      onAcknowledged(acknowledged.push(id));
    }
  };
  await Promise.all(Array.from({ length: WRITERS }, (_, writer) => writeOn(writer)));
  return acknowledged;
}

async function storedIds({ environment }: Served): Promise<Set<string>> {
  const { status, body } = await sendAwsRequest({
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

describe('kill -9', () => {
  test('A service that is killed at any of several moments loses no acknowledged write', async () => {
    const folder = await temporaryFolder();
    let { child, served } = await serveFixture(folder);
    for (const killAfter of sampled([1, 40, 150], 2)) {
      const { origin } = served;
      const write = (id: string) => fetch(`${origin}/store`, { method: 'POST', body: JSON.stringify({ id }) });
      const acknowledged = await writeUntilGone(write, (count) => void (count === killAfter && child.kill('SIGKILL')));
      expect(acknowledged.length).toBeGreaterThanOrEqual(killAfter);
      ({ child, served } = await serveFixture(folder));
      const stored = await storedIds(served);
      expect(acknowledged.filter((id) => !stored.has(id))).toEqual([]);
    }
  });

  test('A killed service loses no acknowledged upload', async () => {
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

  test('A service that is killed at any of several moments loses no notification of an acknowledged upload', async () => {
    const folder = await temporaryFolder();
    let { child, served } = await serveFixture(folder);
    for (const killAfter of sampled([1, 20, 60], 2)) {
      const { environment } = served;
      const name = (id: string) => `killed-after-${killAfter}-${id}`;
      const write = async (id: string) =>
        fetch(await presignedLink(environment, 'PUT', { key: name(id) }), { method: 'PUT', body: id });
      const acknowledged = await writeUntilGone(write, (count) => void (count === killAfter && child.kill('SIGKILL')));
      expect(acknowledged.length).toBeGreaterThanOrEqual(killAfter);
      ({ child, served } = await serveFixture(folder));
      const { noted } = messagesOf(served.environment);
      const unnoted = async () => {
        const all = await Promise.all(acknowledged.map(async (id) => [id, await noted(name(id))] as const));
        return all.filter(([, found]) => found === undefined).map(([id]) => id);
      };
      await expect.poll(unnoted).toEqual([]);
    }
  });

  test('A killed service leaves no database process behind', async () => {
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

test('A message whose function hangs becomes a dead letter after its last attempt, even if each attempt makes the service exit', async () => {
  const folder = await temporaryFolder();
  const first = await serveFixture(folder, { blockedSeconds: 2 });
  const { hideFor, send } = messagesOf(first.served.environment);
  // After a restart, the message is delivered again immediately, and not only after this hour.
  await hideFor(3600);
  await send({ id: 'poison', hangs: true });
  await once(first.child, 'exit');
  expect(first.child.signalCode).toBe('SIGKILL');
  for (const attempt of [2, 3]) {
    const { child } = await serveFixture(folder, { blockedSeconds: 2 });
    await once(child, 'exit');
    expect(child.signalCode, `attempt ${attempt}`).toBe('SIGKILL');
  }
  const last = await serveFixture(folder, { blockedSeconds: 2 });
  const { noted, count } = messagesOf(last.served.environment);
  await expect.poll(() => count('deadLetters')).toBe(1);
  expect(await count('work')).toBe(0);
  expect(await noted('poison')).toMatchObject({ times: 3, record: { attributes: { ApproximateReceiveCount: '3' } } });
  last.child.kill('SIGKILL');
  await once(last.child, 'exit');
  const { served } = await serveFixture(folder);
  expect(await messagesOf(served.environment).count('deadLetters')).toBe(1);
});
