/**
 * Secrets in Parameter Store, as SecureString. Signs its own HTTP requests, because the SDK client would add 100 KB for
 * three operations.
 */

import { Sha256 } from '@smithy/core/checksum';
import { HttpRequest } from '@smithy/protocol-http';
import { SignatureV4 } from '@smithy/signature-v4';
import { awsHost } from '#shared/engine/aws-host.ts';
import { backOff } from '#shared/engine/table/back-off.ts';
import { SECRET_LIMITS } from './limits.ts';

type Environment = Readonly<Record<string, string | undefined>>;
type Operation = 'GetParameter' | 'PutParameter' | 'DeleteParameter';

interface Answer {
  readonly Parameter?: { readonly Value?: string };
}

export class Secrets {
  readonly #prefix: string;
  readonly #environment: Environment;

  /** `prefix`: the path under which this deployment stores all its secrets. */
  constructor(prefix: string, environment: Environment) {
    this.#prefix = prefix;
    this.#environment = environment;
  }

  /** Stores a secret. `name` is its path below the prefix. */
  async put(name: string, value: string): Promise<void> {
    // Overwrites, so that a retry after a lost response does not fail.
    await this.#call('PutParameter', { Name: this.#pathOf(name), Value: value, Type: 'SecureString', Overwrite: true });
  }

  /** Returns `undefined` for a missing secret. */
  async get(name: string): Promise<string | undefined> {
    return (await this.#call('GetParameter', { Name: this.#pathOf(name), WithDecryption: true }))?.Parameter?.Value;
  }

  /** Deletes a secret. Idempotent. */
  async remove(name: string): Promise<void> {
    await this.#call('DeleteParameter', { Name: this.#pathOf(name) });
  }

  #pathOf(name: string): string {
    return `${this.#prefix}/${name}`;
  }

  /** Returns `undefined` for a missing parameter. Error messages contain the operation but never the value. */
  async #call(operation: Operation, input: object): Promise<Answer | undefined> {
    const body = JSON.stringify(input);
    const signal = AbortSignal.timeout(SECRET_LIMITS.callMilliseconds);
    for (let attempt = 0; ; attempt += 1) {
      await backOff(attempt);
      const { url, headers } = await this.#signed(operation, body);
      const answer = await fetch(url, { method: 'POST', headers, body, signal });
      const text = await answer.text();
      if (answer.ok) return JSON.parse(text || '{}');
      if (text.includes('ParameterNotFound')) return undefined;
      const isTransient = answer.status >= 500 || text.includes('Throttling');
      if (!isTransient || attempt === SECRET_LIMITS.attempts - 1)
        throw new Error(`Parameter Store answered ${operation} with ${answer.status} ${kindOf(text)}`);
    }
  }

  async #signed(operation: Operation, body: string) {
    const region = this.#environment['AWS_REGION'] ?? 'us-east-1';
    const address = new URL(this.#endpointIn(region));
    const headers = {
      host: address.host,
      'content-type': 'application/x-amz-json-1.1',
      'x-amz-target': `AmazonSSM.${operation}`,
    };
    const { protocol, hostname, origin } = address;
    const port = address.port ? { port: Number(address.port) } : {};
    const request = new HttpRequest({ method: 'POST', protocol, hostname, ...port, path: '/', headers, body });
    const signed = await this.#signer(region).sign(request);
    return { url: `${origin}/`, headers: signed.headers };
  }

  #endpointIn(region: string): string {
    const endpoint = this.#environment['AWS_ENDPOINT_URL_SSM'] ?? this.#environment['AWS_ENDPOINT_URL'];
    return endpoint || `https://${awsHost('ssm', region)}`;
  }

  #signer(region: string): SignatureV4 {
    const { AWS_ACCESS_KEY_ID = '', AWS_SECRET_ACCESS_KEY = '', AWS_SESSION_TOKEN } = this.#environment;
    return new SignatureV4({
      service: 'ssm',
      region,
      credentials: {
        accessKeyId: AWS_ACCESS_KEY_ID,
        secretAccessKey: AWS_SECRET_ACCESS_KEY,
        ...(AWS_SESSION_TOKEN ? { sessionToken: AWS_SESSION_TOKEN } : {}),
      },
      sha256: Sha256,
    });
  }
}

/** The type of an error, without its message, which may repeat the input. */
const kindOf = (text: string): string => /"__type":"([\w.#]{1,100})"/.exec(text)?.[1] ?? '';
