/** The embedded S3: s3rver on loopback, behind a check of every signature, and telling queues of new objects. */
import { randomUUID } from 'node:crypto';
import { mkdir, rename, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import S3rver from '@20minutes/s3rver';
import type { Engine } from './engines.ts';
import { bind, closeServer, LOOPBACK, portOf } from './http-server.ts';
import { type Notifications, notifications } from './s3-notifications.ts';
import { hasValidSignature } from './s3-signature.ts';

interface S3Options {
  /** Where its data is. */
  readonly directory: string;
  /** Used when free; 0 or a taken one gives another. */
  readonly preferredPort: number;
  /** Where the queues are that buckets tell of new objects. */
  readonly sqsEndpoint: string;
}

export async function startS3({ directory, preferredPort, sqsEndpoint }: S3Options): Promise<Engine> {
  const buckets = join(directory, 'buckets');
  const uploads = join(directory, 'uploads');
  // What a process left behind when it was killed was never acknowledged.
  await rm(uploads, { recursive: true, force: true });
  for (const folder of [buckets, uploads]) await mkdir(folder, { recursive: true });
  // Its own check refuses links with a quote or an asterisk in them, and lets pass what is not signed at all.
  const s3 = new S3rver({ directory: buckets, silent: true, vhostBuckets: false, allowMismatchedSignatures: true });
  const told = await notifications(join(directory, 'notifications'), sqsEndpoint);
  writeWhole(s3.store, uploads);
  tellOfNewObjects(s3.store, told);
  const answer = s3.callback();
  const server = createServer(async (request, response) => {
    if (!staysInside(request) || !(await hasValidSignature(request))) {
      response.writeHead(403, { 'Content-Type': 'application/xml' }).end(errorXml('AccessDenied', 'Access Denied'));
      request.resume();
      return;
    }
    const bucket = notifyingBucket(request);
    return bucket === undefined ? answer(request, response) : configure(told, bucket, request, response);
  });
  await bind(server, preferredPort).catch(() => bind(server, 0));
  return {
    endpoint: `http://${LOOPBACK}:${portOf(server)}`,
    close: () => closeServer(server),
  };
}

const errorXml = (code: string, message: string): string =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>${message}</Message></Error>`;

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

/** After an object is whole and before its upload is answered: what was answered is also told. */
function tellOfNewObjects(store: S3rver['store'], told: Notifications): void {
  const put = store.putObject.bind(store);
  store.putObject = async (object) => {
    const written = await put(object);
    await told.created({ bucket: object.bucket, key: object.key, bytes: written.size, eTag: written.md5 });
    return written;
  };
}

/** The bucket of a PutBucketNotificationConfiguration, which s3rver does not have. */
function notifyingBucket({ method, url = '' }: IncomingMessage): string | undefined {
  return method === 'PUT' ? /^\/([^/?]+)\?notification=?$/.exec(url)?.[1] : undefined;
}

async function configure(
  told: Notifications,
  bucket: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  try {
    await told.configure(bucket, await text(request));
    response.writeHead(200).end();
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    response.writeHead(501, { 'Content-Type': 'application/xml' }).end(errorXml('NotImplemented', message));
  }
}
