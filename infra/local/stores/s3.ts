/** The embedded S3: s3rver behind our own signature check, with notifications to queues. */

import { AsyncLocalStorage } from 'node:async_hooks';
import { createHash, createHmac, randomUUID, timingSafeEqual } from 'node:crypto';
import { copyFile, mkdir, rename, rm } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import S3rver from '@20minutes/s3rver';
import { Sha256 } from '@smithy/core/checksum';
import { HttpRequest } from '@smithy/protocol-http';
import { createScope, getCanonicalQuery, getSigningKey } from '@smithy/signature-v4';
import { getAwsCredentials } from '#infra/local/host/aws-request.ts';
import type { HttpServer, RequestHandler } from '#infra/local/host/http-server.ts';
import { LOOPBACK } from '#infra/local/host/loopback.ts';
import { DEFAULT_BUCKET } from '#infra/local/template/physical-ids.ts';
import { type Engine, serveEngine } from './engine.ts';
import { type Notifications, openBucketNotifications } from './s3-notifications.ts';

type Store = S3rver['store'];

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
  writeWhole(s3.store, uploads);
  serializeAccess(s3.store, uploads);
  tellOfNewObjects(s3.store, notifications);
  const answer = s3.callback();
  return async (request, response) => {
    // Browsers send CORS preflight requests without a signature.
    const isPreflight = request.method === 'OPTIONS';
    if (!isInsideFolder(request) || !(isPreflight || (await hasValidSignature(request)))) {
      response
        .writeHead(403, { 'Content-Type': 'application/xml' })
        .end(formatErrorXml('AccessDenied', 'Access Denied'));
      request.resume();
      return;
    }
    const requiredETag = String(request.headers['x-amz-copy-source-if-match'] ?? '').replaceAll('"', '');
    if (requiredETag && !(await hasSourceETag(s3.store, request, requiredETag))) {
      const answer = formatErrorXml('PreconditionFailed', 'The object to copy has a different ETag');
      response.writeHead(412, { 'Content-Type': 'application/xml' }).end(answer);
      return;
    }
    const bucket = findNotifyingBucket(request);
    if (bucket !== undefined) return handleConfiguration(notifications, bucket, request, response);
    const listing = findListing(request);
    if (listing && (await s3.store.getBucket(listing.bucket))) return answerListing(s3.store, listing, response);
    return requiredETag ? copyOnlyIf.run(requiredETag, () => answer(request, response)) : answer(request, response);
  };
}

const formatErrorXml = (code: string, message: string): string =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>${message}</Message></Error>`;

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

/** Makes uploads atomic: after an interrupted upload, the previous object still exists. */
function writeWhole(store: Store, uploads: string): void {
  const write = store.putContent.bind(store);
  store.putContent = (objectPath, content) =>
    usePartialFile(uploads, async (partialFile) => {
      const result = await write(partialFile, content);
      await rename(partialFile, objectPath);
      return result;
    });
}

/** Notifies after the object is complete and before the response, so that every acknowledged upload has its event. */
function tellOfNewObjects(store: Store, notifications: Notifications): void {
  const put = store.putObject.bind(store);
  store.putObject = async (object) => {
    const result = await put(object);
    await notifications.created({ bucket: object.bucket, key: object.key, bytes: result.size, eTag: result.md5 });
    return result;
  };
}

/** Whether the source of a copy has this ETag, for `x-amz-copy-source-if-match`, which s3rver does not support. */
async function hasSourceETag(store: Store, { headers }: IncomingMessage, eTag: string): Promise<boolean> {
  const [bucket = '', ...key] = decodeURIComponent(String(headers['x-amz-copy-source'])).replace(/^\//, '').split('/');
  const metadata = await store.getMetadata(bucket, key.join('/')).catch(() => undefined);
  // A missing source counts as a match, because s3rver reports it itself.
  return metadata === undefined || metadata.etag.replaceAll('"', '') === eTag;
}

/** The bucket, if this is a PutBucketNotificationConfiguration request, which s3rver does not support. */
function findNotifyingBucket({ method, url = '' }: IncomingMessage): string | undefined {
  return method === 'PUT' ? /^\/([^/?]+)\?notification=?$/.exec(url)?.[1] : undefined;
}

interface Listing {
  readonly bucket: string;
  readonly query: URLSearchParams;
}

/** The listing, if this is a ListObjectsV2 request without a delimiter. */
function findListing({ method, url = '' }: IncomingMessage): Listing | undefined {
  const [, bucket] = /^\/([^/?]+)\/?\?/.exec(url) ?? [];
  const query = new URLSearchParams(url.slice(url.indexOf('?')));
  const isListing = method === 'GET' && query.get('list-type') === '2' && !query.has('delimiter');
  return bucket !== undefined && isListing ? { bucket, query } : undefined;
}

const KEYS_PER_PAGE = 1000;

/** Instead of s3rver, whose continuation tokens need a cipher that OpenSSL 3 lacks, so that it answers 500. */
async function answerListing(store: Store, { bucket, query }: Listing, response: ServerResponse): Promise<void> {
  const token = query.get('continuation-token');
  const { objects, isTruncated } = await store.listObjects(bucket, {
    prefix: query.get('prefix') ?? undefined,
    startAfter: token === null ? (query.get('start-after') ?? undefined) : Buffer.from(token, 'hex').toString(),
    maxKeys: Math.min(KEYS_PER_PAGE, Number(query.get('max-keys') ?? KEYS_PER_PAGE)),
  });
  const contents = objects.map(
    ({ key, size, lastModifiedDate, metadata }) =>
      `<Contents><Key>${escapeXml(key)}</Key><LastModified>${lastModifiedDate.toISOString()}</LastModified><ETag>${escapeXml(metadata.etag)}</ETag><Size>${size}</Size><StorageClass>STANDARD</StorageClass></Contents>`,
  );
  const next = isTruncated ? Buffer.from(objects.at(-1)?.key ?? '').toString('hex') : undefined;
  response
    .writeHead(200, { 'Content-Type': 'application/xml' })
    .end(
      [
        '<?xml version="1.0" encoding="UTF-8"?>\n<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">',
        `<Name>${bucket}</Name><KeyCount>${objects.length}</KeyCount><IsTruncated>${isTruncated}</IsTruncated>`,
        next === undefined ? '' : `<NextContinuationToken>${next}</NextContinuationToken>`,
        ...contents,
        '</ListBucketResult>',
      ].join(''),
    );
}

const escapeXml = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

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
    response.writeHead(501, { 'Content-Type': 'application/xml' }).end(formatErrorXml('NotImplemented', message));
  }
}

// s3rver stores an object as three files and removes empty folders. The code below serializes reads and writes, so that
// a read sees size, ETag and content of the same version.

/** The source ETag that a conditional copy requires. */
const copyOnlyIf = new AsyncLocalStorage<string>();

/** Runs reads and writes one after another. `uploads`: for incomplete uploads, on the same disk as the buckets. */
function serializeAccess(store: Store, uploads: string): void {
  let last: Promise<unknown> = Promise.resolve();
  const runAlone = <Result>(act: () => Promise<Result>): Promise<Result> => {
    const mine = last.then(act);
    last = mine.catch(() => undefined);
    return mine;
  };
  // `getObject` calls `getMetadata` while it holds the lock, so it needs the version of `getMetadata` that does not
  // wait for the lock.
  const unguardedStore: Store = Object.create(store, { getMetadata: { value: store.getMetadata } });
  const getMetadata = unguardedStore.getMetadata.bind(unguardedStore);
  const getObject = store.getObject.bind(unguardedStore);
  store.getMetadata = (bucket, key) => runAlone(() => getMetadata(bucket, key));
  // The content file is open when this promise resolves, and can then be read without the lock: later writes rename or
  // unlink the file, but do not modify it.
  store.getObject = (bucket, key, options) => runAlone(() => getObject(bucket, key, options));
  const commit = async (partialFile: string, bucket: string, key: string, metadata: object, md5: string) => {
    const path = store.getResourcePath(bucket, key, 'object');
    await mkdir(dirname(path), { recursive: true });
    await rename(partialFile, path);
    await store.putMetadata(bucket, key, metadata, md5);
  };
  store.putObject = (object) =>
    usePartialFile(uploads, async (partialFile) => {
      const [size, md5] = await store.putContent(partialFile, object.content);
      await runAlone(() => commit(partialFile, object.bucket, object.key, object.metadata, md5));
      return { size, md5 };
    });
  store.copyObject = (fromBucket, fromKey, bucket, key, replacement) =>
    usePartialFile(uploads, (partialFile) =>
      runAlone(async () => {
        const source = await getMetadata(fromBucket, fromKey);
        const md5 = source.etag.replaceAll('"', '');
        const requiredETag = copyOnlyIf.getStore() ?? md5;
        // If the client retries the failed request, it gets 412, because the ETag of the source has changed.
        if (md5 !== requiredETag) throw new Error(`${fromKey} was replaced before it could be copied`);
        await copyFile(store.getResourcePath(fromBucket, fromKey, 'object'), partialFile);
        await commit(partialFile, bucket, key, replacement ?? source, md5);
        return getMetadata(bucket, key);
      }),
    );
  const remove = store.deleteObject.bind(store);
  store.deleteObject = (bucket, key) => runAlone(() => remove(bucket, key));
}

async function usePartialFile<Result>(uploads: string, act: (partialFile: string) => Promise<Result>): Promise<Result> {
  const partialFile = join(uploads, randomUUID());
  try {
    return await act(partialFile);
  } finally {
    await rm(partialFile, { force: true });
  }
}

// Verifies AWS Signature Version 4 of an S3 request, in a presigned URL or a header.

/** The signature parameters of a request, from its query or its header. */
interface Claim {
  /** Key id and scope, for example `AKID/20261120/us-east-1/s3/aws4_request`. */
  readonly credential: string;
  readonly signedHeaders: readonly string[];
  readonly signature: string;
  /** The time of signing, for example `20261120T061200Z`. */
  readonly signedAt: string;
  readonly expiresSeconds: number;
  readonly payloadHash: string;
}

/** How long a signature in a header is valid: the maximum clock skew of S3. */
const HEADER_SIGNATURE_SECONDS = 900;

/** Made with the key of the embedded S3, covering the method, path, query and S3 headers, and not expired. */
async function hasValidSignature(request: IncomingMessage): Promise<boolean> {
  const { method = 'GET', url = '', headers } = request;
  const [path = '', rawQuery = ''] = url.split('?', 2);
  const parameters = new URLSearchParams(rawQuery);
  const claim = parsePresignedClaim(parameters) ?? parseHeaderClaim(headers);
  if (!claim || !isInTime(claim) || hasUnsignedOrders(headers, claim)) return false;
  const canonicalHeaders = claim.signedHeaders.map((name) => `${name}:${String(headers[name] ?? '').trim()}\n`);
  const canonicalRequest = [
    method,
    path,
    getCanonicalQuery(new HttpRequest({ query: Object.fromEntries(parameters) })),
    canonicalHeaders.join(''),
    claim.signedHeaders.join(';'),
    claim.payloadHash,
  ].join('\n');
  return isEqual(claim.signature, await computeSignature(canonicalRequest, claim));
}

/** S3 rejects unsigned `x-amz-*` headers: the holder of a presigned URL must not add `x-amz-copy-source`. */
const hasUnsignedOrders = (headers: IncomingMessage['headers'], { signedHeaders }: Claim): boolean =>
  Object.keys(headers).some((name) => name.startsWith('x-amz-') && !signedHeaders.includes(name));

/** The signature of a presigned URL does not cover the payload, so there is no payload hash. */
function parsePresignedClaim(parameters: URLSearchParams): Claim | undefined {
  const signature = parameters.get('X-Amz-Signature');
  if (signature === null) return undefined;
  return {
    credential: parameters.get('X-Amz-Credential') ?? '',
    signedHeaders: (parameters.get('X-Amz-SignedHeaders') ?? '').split(';'),
    signature,
    signedAt: parameters.get('X-Amz-Date') ?? '',
    expiresSeconds: Number(parameters.get('X-Amz-Expires') ?? 0),
    payloadHash: 'UNSIGNED-PAYLOAD',
  };
}

const AUTHORIZATION = /^AWS4-HMAC-SHA256 Credential=([^,]+), *SignedHeaders=([^,]+), *Signature=(\w+)$/;

function parseHeaderClaim(headers: IncomingMessage['headers']): Claim | undefined {
  const [, credential, signedHeaders, signature] = AUTHORIZATION.exec(headers.authorization ?? '') ?? [];
  if (credential === undefined || signedHeaders === undefined || signature === undefined) return undefined;
  return {
    credential,
    signedHeaders: signedHeaders.split(';'),
    signature,
    signedAt: String(headers['x-amz-date'] ?? ''),
    expiresSeconds: HEADER_SIGNATURE_SECONDS,
    payloadHash: String(headers['x-amz-content-sha256'] ?? ''),
  };
}

function isInTime({ signedAt, expiresSeconds }: Claim): boolean {
  const [, year, month, day, hour, minute, second] = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(signedAt) ?? [];
  const signedTime = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`);
  return Date.now() <= signedTime + expiresSeconds * 1000;
}

async function computeSignature(canonicalRequest: string, { credential, signedAt }: Claim): Promise<string> {
  const [accessKeyId, shortDate = '', region = '', service = ''] = credential.split('/');
  const awsCredentials = getAwsCredentials();
  if (accessKeyId !== awsCredentials.accessKeyId) return '';
  const key = await getSigningKey(Sha256, awsCredentials, shortDate, region, service);
  const hash = createHash('sha256').update(canonicalRequest).digest('hex');
  const stringToSign = ['AWS4-HMAC-SHA256', signedAt, createScope(shortDate, region, service), hash].join('\n');
  return createHmac('sha256', key).update(stringToSign).digest('hex');
}

const isEqual = (signature: string, right: string): boolean =>
  signature.length === right.length && timingSafeEqual(Buffer.from(signature, 'latin1'), Buffer.from(right, 'latin1'));
