/** Answers ListObjectsV2 requests instead of s3rver. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type S3rver from '@20minutes/s3rver';

interface Listing {
  readonly bucket: string;
  readonly query: URLSearchParams;
}

/** The listing, if this is a ListObjectsV2 request without a delimiter. */
export function findListing({ method, url = '' }: IncomingMessage): Listing | undefined {
  const [, bucket] = /^\/([^/?]+)\/?\?/.exec(url) ?? [];
  const query = new URLSearchParams(url.slice(url.indexOf('?')));
  const isListing = method === 'GET' && query.get('list-type') === '2' && !query.has('delimiter');
  return bucket !== undefined && isListing ? { bucket, query } : undefined;
}

const KEYS_PER_PAGE = 1000;

/** The continuation tokens of s3rver need a cipher that OpenSSL 3 lacks, so it would answer 500. */
export async function answerListing(
  store: S3rver['store'],
  { bucket, query }: Listing,
  response: ServerResponse,
): Promise<void> {
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
