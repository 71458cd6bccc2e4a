/** Calls of AWS's APIs that set up the local stack: signed, without an SDK client per service. */
import { Sha256 } from '@smithy/core/checksum';
import { HttpRequest } from '@smithy/protocol-http';
import { SignatureV4 } from '@smithy/signature-v4';
import { CannotStart } from './cannot-start.ts';
import { REGION } from './physical-ids.ts';

/** The one key pair that the embedded S3 knows. */
const EMBEDDED = { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' };

interface AwsCall {
  readonly service: 'dynamodb' | 's3' | 'sqs';
  readonly endpoint: string;
  readonly method: 'POST' | 'PUT';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface AwsAnswer {
  readonly status: number;
  readonly body: string;
}

/** Sends a signed request. Throws `CannotStart` when nothing answers at the endpoint. */
export async function awsRequest({ service, endpoint, method, path, headers, body = '' }: AwsCall): Promise<AwsAnswer> {
  const { hostname, host, protocol } = new URL(endpoint);
  // S3 signs the path as it is sent.
  const uriEscapePath = service !== 's3';
  const signer = new SignatureV4({
    service,
    region: REGION,
    credentials: credentials(),
    sha256: Sha256,
    uriEscapePath,
  });
  const request = new HttpRequest({ method, hostname, protocol, path, body, headers: { ...headers, host } });
  const signed = await signer.sign(request);
  const response = await fetch(`${endpoint}${path}`, { method, headers: signed.headers, body }).catch(() => {
    throw new CannotStart(
      `Nothing answers at ${endpoint}. Start it, or unset RUNDOWN_AWS_ENDPOINT for the embedded stores.`,
    );
  });
  return { status: response.status, body: await response.text() };
}

/** The embedded engines' key pair, or for RUNDOWN_AWS_ENDPOINT the caller's own; "test" is what emulators expect. */
export function credentials(): { readonly accessKeyId: string; readonly secretAccessKey: string } {
  const { RUNDOWN_AWS_ENDPOINT, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY } = process.env;
  if (!RUNDOWN_AWS_ENDPOINT) return EMBEDDED;
  return { accessKeyId: AWS_ACCESS_KEY_ID ?? 'test', secretAccessKey: AWS_SECRET_ACCESS_KEY ?? 'test' };
}
