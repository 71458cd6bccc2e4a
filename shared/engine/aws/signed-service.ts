/**
 * An AWS service that we call with requests that we sign ourselves, because each client of the AWS SDK adds 100 KB to a
 * function. The host names of isolated AWS partitions are not known here: set `AWS_ENDPOINT_URL_S3` and
 * `AWS_ENDPOINT_URL_SSM` in those partitions.
 */
import { Sha256 } from '@smithy/core/checksum';
import { HttpRequest } from '@smithy/protocol-http';
import { SignatureV4 } from '@smithy/signature-v4';
import { waitBeforeAttempt } from '#shared/engine/table/back-off.ts';

export type SdkEnvironment = Readonly<Record<string, string | undefined>>;

interface UnsignedRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export class SignedService {
  readonly #service: 's3' | 'ssm';
  readonly #environment: SdkEnvironment;

  constructor(service: 's3' | 'ssm', environment: SdkEnvironment) {
    this.#service = service;
    this.#environment = environment;
  }

  /** The URL of the local runner or of another compatible service, if one is configured. */
  get customEndpoint(): string | undefined {
    const name = `AWS_ENDPOINT_URL_${this.#service.toUpperCase()}`;
    return this.#environment[name] || this.#environment['AWS_ENDPOINT_URL'] || undefined;
  }

  /** S3 is dual-stack, because browsers and test machines may be IPv6-only. China regions have another domain. */
  get publicHost(): string {
    const name = this.#service === 's3' ? 's3.dualstack' : this.#service;
    return `${name}.${this.#region}.amazonaws.com${this.#region.startsWith('cn-') ? '.cn' : ''}`;
  }

  /** Signs with AWS Signature Version 4, in the headers (`sign`) or in the query string (`presign`). */
  get signer(): SignatureV4 {
    const { AWS_ACCESS_KEY_ID = '', AWS_SECRET_ACCESS_KEY = '', AWS_SESSION_TOKEN } = this.#environment;
    return new SignatureV4({
      service: this.#service,
      region: this.#region,
      uriEscapePath: this.#service !== 's3',
      credentials: {
        accessKeyId: AWS_ACCESS_KEY_ID,
        secretAccessKey: AWS_SECRET_ACCESS_KEY,
        sessionToken: AWS_SESSION_TOKEN || undefined,
      },
      sha256: Sha256,
    });
  }

  get #region(): string {
    return this.#environment['AWS_REGION'] ?? 'us-east-1';
  }
}

export const toHttpRequest = (address: URL, { method, headers, query = {}, body }: UnsignedRequest): HttpRequest =>
  new HttpRequest({
    method,
    protocol: address.protocol,
    hostname: address.hostname,
    port: address.port ? Number(address.port) : undefined,
    path: address.pathname,
    query: { ...query },
    headers: { host: address.host, ...headers },
    body,
  });

interface Persistence {
  readonly attempts: number;
  /** Time limit for all attempts together. */
  readonly milliseconds: number;
}

/** Retries with backoff after network errors and temporary answers. Returns the last answer, or throws its error. */
export async function sendRepeatedly<Answer>(
  { attempts, milliseconds }: Persistence,
  send: (signal: AbortSignal) => Promise<Answer>,
  isTemporary: (answer: Answer) => boolean,
): Promise<Answer> {
  const signal = AbortSignal.timeout(milliseconds);
  for (let attempt = 1; ; attempt += 1) {
    await waitBeforeAttempt(attempt - 1);
    const isLast = attempt >= attempts;
    const answer = await send(signal).catch((error: unknown) => {
      // The network failed. After the time limit, another attempt would fail immediately.
      if (isLast || signal.aborted) throw error;
    });
    if (answer !== undefined && (isLast || !isTemporary(answer))) return answer;
  }
}
