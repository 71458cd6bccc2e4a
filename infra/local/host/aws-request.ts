/** Signed AWS API calls, without SDK clients. Uses `node:http`, because `fetch` takes three times as much CPU time. */
import { once } from 'node:events';
import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import { text } from 'node:stream/consumers';
import { Sha256 } from '@smithy/core/checksum';
import { HttpRequest } from '@smithy/protocol-http';
import { SignatureV4 } from '@smithy/signature-v4';
import { formatQueueUrl, REGION } from '#infra/local/template/physical-ids.ts';
import { CannotStart } from './cannot-start.ts';

interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

/** The embedded S3 accepts only these. As on Lambda with a session token, so that a URL without it fails here, too. */
const EMBEDDED: Credentials = { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER', sessionToken: 'local' };

interface AwsCall {
  readonly service: 'dynamodb' | 's3' | 'sqs';
  readonly endpoint: string;
  readonly method: 'POST' | 'PUT';
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal?: AbortSignal;
}

export interface AwsAnswer {
  readonly status: number;
  readonly body: string;
}

/** Sends a signed request. Throws `CannotStart` if the endpoint does not answer. */
export const sendAwsRequest = async (call: AwsCall): Promise<AwsAnswer> => exchange(await signRequest(call), call);

interface SignedRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

async function signRequest({
  service,
  endpoint,
  method,
  path,
  query = {},
  headers,
  body = '',
}: AwsCall): Promise<SignedRequest> {
  const { hostname, host, protocol } = new URL(endpoint);
  const signer = new SignatureV4({
    service,
    region: REGION,
    credentials: getAwsCredentials(),
    sha256: Sha256,
    // For S3, the signature covers the path as it is sent. For other services, the path is escaped once more before it
    // is signed.
    uriEscapePath: service !== 's3',
  });
  const request = new HttpRequest({ method, hostname, protocol, path, query, body, headers: { ...headers, host } });
  const search = new URLSearchParams(query).toString();
  return { url: `${endpoint}${path}${search && `?${search}`}`, headers: (await signer.sign(request)).headers };
}

async function exchange(
  { url, headers }: SignedRequest,
  { endpoint, method, body = '', signal }: AwsCall,
): Promise<AwsAnswer> {
  signal?.throwIfAborted();
  const length = { 'content-length': String(Buffer.byteLength(body)) };
  const { request } = url.startsWith('https:') ? https : http;
  try {
    const outgoing = request(url, { method, headers: { ...headers, ...length }, ...(signal && { signal }) });
    // This listener ignores errors, because `once` and `text` report them.
    outgoing.on('error', () => {}).end(body);
    const [response]: IncomingMessage[] = await once(outgoing, 'response');
    if (response === undefined) throw new Error('The response is missing');
    return { status: response.statusCode ?? 0, body: await text(response) };
  } catch {
    signal?.throwIfAborted();
    throw new CannotStart(
      `Nothing answers at ${endpoint}. If RUNDOWN_AWS_ENDPOINT is set, start the service at its address, or unset the variable. Otherwise start Rundown again`,
    );
  }
}

/** The time for which a signature is reused. AWS accepts a signature for five minutes, so this leaves a margin. */
const SIGNATURE_MILLISECONDS = 60_000;

/** For polling: signs the call only once a minute, because signing takes longer than an empty poll. */
export function prepareAwsJsonRequest(call: Omit<JsonCall, 'signal'>): (signal: AbortSignal) => Promise<AwsAnswer> {
  const httpCall = toAwsCall(call);
  let last: { readonly request: Promise<SignedRequest>; readonly at: number } | undefined;
  return async (signal) => {
    // This clock is monotonic, and not affected by fake timers.
    const now = performance.now();
    if (last === undefined || now - last.at > SIGNATURE_MILLISECONDS)
      last = { request: signRequest(httpCall), at: now };
    return exchange(await last.request, { ...httpCall, signal });
  };
}

interface JsonCall extends Pick<AwsCall, 'endpoint' | 'signal'> {
  readonly service: keyof typeof TARGETS;
  readonly operation: string;
  readonly input: object;
}

const TARGETS = { dynamodb: 'DynamoDB_20120810', sqs: 'AmazonSQS' };

export const sendAwsJsonRequest = (call: JsonCall): Promise<AwsAnswer> => sendAwsRequest(toAwsCall(call));

/** Sends a message to a queue. `kind` describes the message in the error, for example `an event`. */
export async function sendToQueue(endpoint: string, queueArn: string, message: object, kind: string): Promise<void> {
  const QueueUrl = formatQueueUrl(endpoint, queueArn);
  const input = { QueueUrl, MessageBody: JSON.stringify(message) };
  const { status, body } = await sendAwsJsonRequest({ service: 'sqs', endpoint, operation: 'SendMessage', input });
  if (status !== 200) throw new Error(`${QueueUrl} did not accept ${kind}: ${body}`);
}

const toAwsCall = ({ service, operation, input, ...call }: JsonCall): AwsCall => ({
  ...call,
  service,
  method: 'POST',
  path: '/',
  headers: { 'content-type': 'application/x-amz-json-1.0', 'x-amz-target': `${TARGETS[service]}.${operation}` },
  body: JSON.stringify(input),
});

/** Of the embedded engines, or with RUNDOWN_AWS_ENDPOINT of the environment or "test", which emulators expect. */
export function getAwsCredentials(): Credentials {
  const { RUNDOWN_AWS_ENDPOINT, AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN } = process.env;
  if (!RUNDOWN_AWS_ENDPOINT) return EMBEDDED;
  return {
    accessKeyId: AWS_ACCESS_KEY_ID ?? 'test',
    secretAccessKey: AWS_SECRET_ACCESS_KEY ?? 'test',
    ...(AWS_SESSION_TOKEN && { sessionToken: AWS_SESSION_TOKEN }),
  };
}
