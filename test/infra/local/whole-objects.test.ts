import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { cases } from '#test/harness/cases.ts';
import { localService } from './local-service.ts';
import { presignedLink } from './presigned-link.ts';

const running = localService();
const KEY = 'replaced/all/the/time';
const BODIES = ['first', 'the second one'];
const PUTS = cases(300, 25);

const ask = async (method: 'GET' | 'HEAD' | 'PUT', body?: string): Promise<Response> => {
  const link = await presignedLink(running().service.environment, method, { key: KEY, bucket: 'rundown-artifacts' });
  return fetch(link, { method, ...(body === undefined ? {} : { body }) });
};

const eTagOf = (body: string): string => `"${createHash('md5').update(body).digest('hex')}"`;

test('reads of an object that is being replaced see one version, with the length, ETag and content of that version', async () => {
  await ask('PUT', BODIES[0]);
  let isWriting = true;
  const write = async () => {
    for (let put = 1; put <= PUTS; put += 1) await ask('PUT', BODIES[put % 2]);
    isWriting = false;
  };
  const seen = new Set<string>();
  const inspect = async () => {
    while (isWriting) {
      const { headers } = await ask('HEAD');
      seen.add(`${headers.get('content-length')} ${headers.get('etag')}`);
    }
  };
  const download = async () => {
    while (isWriting) {
      const answer = await ask('GET');
      seen.add(`${(await answer.text()).length} ${answer.headers.get('etag')}`);
    }
  };
  await Promise.all([write(), inspect(), inspect(), download()]);
  expect([...seen].sort()).toEqual(BODIES.map((body) => `${body.length} ${eTagOf(body)}`).sort());
});
