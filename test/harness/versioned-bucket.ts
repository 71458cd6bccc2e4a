/**
 * Adds versioning to the embedded S3, which lacks it. A deleted object then leaves a delete marker and can be restored.
 */
import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { onTestFinished, vi } from 'vitest';
import { bind, closeServer, getPort } from '#infra/local/host/loopback.ts';
import type { Artifacts } from '#shared/engine/aws/artifacts.ts';
import { Presigner } from '#shared/engine/aws/presigner.ts';

const MARKER = 'marker-1';

interface Stage {
  readonly services: { readonly artifacts: Artifacts };
  readonly environment: Readonly<Record<string, string>>;
}

/**
 * Returns a function that deletes an object. Until the end of the test, S3 clients in this process see a version of
 * each object that this function deleted.
 */
export async function versionedBucket({ services: { artifacts }, environment }: Stage) {
  const bucket = environment['ARTIFACTS_BUCKET'] ?? '';
  const presigner = new Presigner(bucket, environment);
  const deleted = new Map<string, Uint8Array>();
  const answer = async (method: string, { pathname, searchParams }: URL): Promise<{ status: number; body: string }> => {
    const key = decodeURIComponent(pathname.slice(bucket.length + 2));
    if (searchParams.has('versioning'))
      return { status: 200, body: xml('VersioningConfiguration', '<Status>Enabled</Status>') };
    if (searchParams.has('versions')) {
      const prefix = searchParams.get('prefix') ?? '';
      const versions = `<Version><Key>${prefix}</Key><VersionId>1</VersionId></Version><DeleteMarker><Key>${prefix}</Key><VersionId>${MARKER}</VersionId></DeleteMarker>`;
      return { status: 200, body: xml('ListVersionsResult', deleted.has(prefix) ? versions : '') };
    }
    const content = deleted.get(key);
    if (method === 'DELETE' && searchParams.get('versionId') === MARKER && content) {
      await artifacts.put(key, content, 'image/png');
      deleted.delete(key);
      return { status: 204, body: '' };
    }
    if (method !== 'GET' && method !== 'HEAD')
      throw new Error(`The versioned bucket does not support ${method} ${pathname}`);
    const query = Object.fromEntries([...searchParams].filter(([name]) => name !== 'x-id'));
    const forwarded = await fetch(await presigner.sign({ method, key, query, expiresIn: 900 }), { method });
    return { status: forwarded.status, body: await forwarded.text() };
  };
  const server = createServer(async ({ method = '', url = '' }, response) => {
    const { status, body } = await answer(method, new URL(url, 'http://localhost'));
    response.writeHead(status, { 'content-type': 'application/xml' }).end(body);
  });
  await bind(server, 0);
  onTestFinished(() => closeServer(server));
  vi.stubEnv('AWS_ENDPOINT_URL_S3', `http://127.0.0.1:${getPort(server)}`);
  onTestFinished(() => void vi.unstubAllEnvs());
  return async (key: string): Promise<void> => {
    const file = await artifacts.open(key);
    if (!file) throw new Error(`${key} does not exist`);
    deleted.set(key, await buffer(file));
    await artifacts.remove(key);
  };
}

const xml = (name: string, content: string): string =>
  `<?xml version="1.0" encoding="UTF-8"?><${name} xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${content}</${name}>`;
