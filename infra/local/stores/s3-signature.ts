/** Verifies AWS Signature Version 4 of an S3 request, in a presigned URL or a header. */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { Sha256 } from '@smithy/core/checksum';
import { HttpRequest } from '@smithy/protocol-http';
import { createScope, getCanonicalQuery, getSigningKey } from '@smithy/signature-v4';
import { getAwsCredentials } from '#infra/local/host/aws-request.ts';

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

/**
 * Whether the signature was made with the key of the embedded S3, covers the method, path, query and S3 headers, and has
 * not expired.
 */
export async function hasValidSignature(request: IncomingMessage): Promise<boolean> {
  const { method = 'GET', url = '', headers } = request;
  const [path = '', rawQuery = ''] = url.split('?', 2);
  const parameters = new URLSearchParams(rawQuery);
  const claim = parsePresignedClaim(parameters) ?? parseHeaderClaim(headers);
  if (!claim || !isInTime(claim) || hasUnsignedHeaders(headers, claim)) return false;
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
const hasUnsignedHeaders = (headers: IncomingMessage['headers'], { signedHeaders }: Claim): boolean =>
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
