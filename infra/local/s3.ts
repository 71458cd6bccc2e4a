/** The embedded S3: s3rver on loopback, behind a check of every signature. */
import { randomUUID } from 'node:crypto';
import { mkdir, rename, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import S3rver from '@20minutes/s3rver';
import type { Engine } from './engines.ts';
import { bind, closeServer, LOOPBACK, portOf } from './http-server.ts';
import { hasValidSignature } from './s3-signature.ts';

/** Starts it with its data in `directory`. `preferredPort` is used when free, 0 or a taken one gives another. */
export async function startS3(directory: string, preferredPort: number): Promise<Engine> {
  const buckets = join(directory, 'buckets');
  const uploads = join(directory, 'uploads');
  // What a process left behind when it was killed was never acknowledged.
  await rm(uploads, { recursive: true, force: true });
  for (const folder of [buckets, uploads]) await mkdir(folder, { recursive: true });
  // Its own check refuses links with a quote or an asterisk in them, and lets pass what is not signed at all.
  const s3 = new S3rver({ directory: buckets, silent: true, vhostBuckets: false, allowMismatchedSignatures: true });
  writeWhole(s3.store, uploads);
  const answer = s3.callback();
  const server = createServer(async (request, response) => {
    if (staysInside(request) && (await hasValidSignature(request))) return answer(request, response);
    response.writeHead(403, { 'Content-Type': 'application/xml' }).end(ACCESS_DENIED);
    request.resume();
  });
  await bind(server, preferredPort).catch(() => bind(server, 0));
  return {
    endpoint: `http://${LOOPBACK}:${portOf(server)}`,
    close: () => closeServer(server),
  };
}

const ACCESS_DENIED =
  '<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>';

/** s3rver would follow `..` in a key out of its folder. */
function staysInside({ url = '' }: IncomingMessage): boolean {
  try {
    return !decodeURIComponent(url.split('?', 1)[0] ?? '')
      .split('/')
      .includes('..');
  } catch {
    return false;
  }
}

/** An object appears when all its bytes are there: an upload that breaks off leaves what was there before. */
function writeWhole(store: S3rver['store'], uploads: string): void {
  const write = store.putContent.bind(store);
  store.putContent = async (objectPath, content) => {
    const partial = join(uploads, randomUUID());
    try {
      const written = await write(partial, content);
      await rename(partial, objectPath);
      return written;
    } catch (error) {
      await rm(partial, { force: true });
      throw error;
    }
  };
}
