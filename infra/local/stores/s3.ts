/** The embedded S3: s3rver behind our own signature check, with notifications to queues. */

import { mkdir, rm } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import S3rver from '@20minutes/s3rver';
import type { HttpServer, RequestHandler } from '#infra/local/host/http-server.ts';
import { LOOPBACK } from '#infra/local/host/loopback.ts';
import { DEFAULT_BUCKET } from '#infra/local/template/physical-ids.ts';
import { type Engine, serveEngine } from './engine.ts';
import { answerListing, findListing } from './s3-listing.ts';
import { type Notifications, openBucketNotifications } from './s3-notifications.ts';
import { hasValidSignature } from './s3-signature.ts';
import { copyOnlyIf, makeStoreReliable } from './s3-store.ts';

interface S3Options {
  /** The folder for buckets, unfinished uploads and notification settings. */
  readonly directory: string;
  /** The endpoint of the notified queues. */
  readonly sqsEndpoint: string;
  /** Server that also serves the bucket. Default: a new server on a free port. */
  readonly server?: HttpServer | undefined;
}

/**
 * Starts the embedded S3. On the shared port, S3 URLs use 127.0.0.1 and the pages use `localhost`, so that browsers
 * isolate the two: an uploaded HTML file gets no cookies of the service and cannot read its pages.
 */
export async function startS3({ server, ...options }: S3Options): Promise<Engine> {
  const handle = await openS3(options);
  if (!server) return serveEngine(handle);
  server.mount({
    takes: ({ headers, url = '' }) =>
      headers.host?.split(':')[0] === LOOPBACK && /^\/([^/?]*)/.exec(url)?.[1] === DEFAULT_BUCKET,
    handle,
  });
  return { endpoint: `http://${LOOPBACK}:${server.port}`, close: async () => {} };
}

async function openS3({ directory, sqsEndpoint }: Omit<S3Options, 'server'>): Promise<RequestHandler> {
  const buckets = join(directory, 'buckets');
  const uploads = join(directory, 'uploads');
  // Removes incomplete uploads of a killed process, which were never acknowledged.
  await rm(uploads, { recursive: true, force: true });
  for (const folder of [buckets, uploads]) await mkdir(folder, { recursive: true });
  // The signature check of s3rver is off, because it rejects URLs with a quote or an asterisk, and accepts unsigned
  // requests.
  const s3 = new S3rver({ directory: buckets, silent: true, vhostBuckets: false, allowMismatchedSignatures: true });
  const notifications = await openBucketNotifications(join(directory, 'notifications'), sqsEndpoint);
  makeStoreReliable(s3.store, uploads, notifications);
  const answer = s3.callback();
  return async (request, response) => {
    // Browsers send CORS preflight requests without a signature.
    const isPreflight = request.method === 'OPTIONS';
    if (!isInsideFolder(request) || !(isPreflight || (await hasValidSignature(request)))) {
      sendError(response, 403, 'AccessDenied', 'Access Denied');
      request.resume();
      return;
    }
    const requiredETag = String(request.headers['x-amz-copy-source-if-match'] ?? '').replaceAll('"', '');
    if (requiredETag && !(await hasSourceETag(s3.store, request, requiredETag))) {
      sendError(response, 412, 'PreconditionFailed', 'The object to copy has a different ETag');
      return;
    }
    const bucket = findNotifyingBucket(request);
    if (bucket !== undefined) return handleConfiguration(notifications, bucket, request, response);
    const listing = findListing(request);
    if (listing && (await s3.store.getBucket(listing.bucket))) return answerListing(s3.store, listing, response);
    return requiredETag ? copyOnlyIf.run(requiredETag, () => answer(request, response)) : answer(request, response);
  };
}

function sendError(response: ServerResponse, status: number, code: string, message: string): void {
  const declaration = '<?xml version="1.0" encoding="UTF-8"?>';
  response
    .writeHead(status, { 'Content-Type': 'application/xml' })
    .end(`${declaration}\n<Error><Code>${code}</Code><Message>${message}</Message></Error>`);
}

/** Prevents path traversal: with `..` in a key, s3rver would leave its folder. */
function isInsideFolder({ url = '' }: IncomingMessage): boolean {
  try {
    return !decodeURIComponent(url.split('?', 1)[0] ?? '')
      .split('/')
      .includes('..');
  } catch {
    return false;
  }
}

/** Whether the source of a copy has this ETag, for `x-amz-copy-source-if-match`, which s3rver does not support. */
async function hasSourceETag(store: S3rver['store'], { headers }: IncomingMessage, eTag: string): Promise<boolean> {
  const [bucket = '', ...key] = decodeURIComponent(String(headers['x-amz-copy-source'])).replace(/^\//, '').split('/');
  const metadata = await store.getMetadata(bucket, key.join('/')).catch(() => undefined);
  // A missing source counts as a match, because s3rver reports it itself.
  return metadata === undefined || metadata.etag.replaceAll('"', '') === eTag;
}

/** The bucket, if this is a PutBucketNotificationConfiguration request, which s3rver does not support. */
function findNotifyingBucket({ method, url = '' }: IncomingMessage): string | undefined {
  return method === 'PUT' ? /^\/([^/?]+)\?notification=?$/.exec(url)?.[1] : undefined;
}

async function handleConfiguration(
  notifications: Notifications,
  bucket: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  try {
    await notifications.configure(bucket, await text(request));
    response.writeHead(200).end();
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    sendError(response, 501, 'NotImplemented', message);
  }
}
