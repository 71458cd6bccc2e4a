/** Secrets in Parameter Store, as SecureString. */

import { SECRET_LIMITS } from './limits.ts';
import { type SdkEnvironment, SignedService, sendRepeatedly, toHttpRequest } from './signed-service.ts';

type Operation = 'GetParameter' | 'PutParameter' | 'DeleteParameter';

const ID = /^[\w-]+$/;

interface Answer {
  readonly Parameter?: { readonly Value?: string };
}

/** A secret of an organization. `secretId` is its path below the organization. */
export interface Secret {
  readonly organizationId: string;
  readonly secretId: string;
}

export class Secrets {
  readonly #prefix: string;
  readonly #store: SignedService;
  readonly #keyId: string | undefined;

  /**
   * `prefix`: the path under which this deployment stores all its secrets. `keyId`: the key of KMS for new values.
   * Default: the key of AWS for Parameter Store.
   */
  constructor(prefix: string, environment: SdkEnvironment, keyId?: string) {
    this.#keyId = keyId;
    this.#prefix = prefix;
    this.#store = new SignedService('ssm', environment);
  }

  async put(secret: Secret, value: string): Promise<void> {
    // Overwrites an existing value, so that a retry after a lost response does not fail.
    const Name = this.#pathOf(secret);
    const KeyId = this.#keyId;
    await this.#call('PutParameter', { Name, Value: value, Type: 'SecureString', Overwrite: true, KeyId });
  }

  /** Returns `undefined` for a missing secret. */
  async get(secret: Secret): Promise<string | undefined> {
    return (await this.#call('GetParameter', { Name: this.#pathOf(secret), WithDecryption: true }))?.Parameter?.Value;
  }

  /** Succeeds also if the secret does not exist. */
  async remove(secret: Secret): Promise<void> {
    await this.#call('DeleteParameter', { Name: this.#pathOf(secret) });
  }

  /** Throws unless the path stays below that of the organization. */
  #pathOf({ organizationId, secretId }: Secret): string {
    if (!ID.test(organizationId) || !secretId.split('/').every((id) => ID.test(id)))
      throw new Error('The name of a secret consists of ids, which have only letters, digits, "_" and "-"');
    return `${this.#prefix}/${organizationId}/${secretId}`;
  }

  /** Returns `undefined` for a missing parameter. Error messages contain the operation but never the value. */
  async #call(operation: Operation, input: object): Promise<Answer | undefined> {
    const body = JSON.stringify(input);
    const { ok, status, text } = await sendRepeatedly(
      SECRET_LIMITS,
      (signal) => this.#send(operation, body, signal),
      (answer) => answer.status >= 500 || answer.text.includes('Throttling'),
    );
    if (ok) return JSON.parse(text || '{}');
    if (text.includes('ParameterNotFound')) return undefined;
    throw new Error(`Parameter Store responded to ${operation} with ${status} ${parseErrorType(text)}`);
  }

  async #send(operation: Operation, body: string, signal: AbortSignal) {
    const { customEndpoint, publicHost, signer } = this.#store;
    const address = new URL(customEndpoint ?? `https://${publicHost}`);
    const headers = { 'content-type': 'application/x-amz-json-1.1', 'x-amz-target': `AmazonSSM.${operation}` };
    const signedRequest = await signer.sign(toHttpRequest(new URL('/', address), { method: 'POST', headers, body }));
    const answer = await fetch(`${address.origin}/`, { method: 'POST', headers: signedRequest.headers, body, signal });
    return { ok: answer.ok, status: answer.status, text: await answer.text() };
  }
}

/** The type of an error. The message is left out, because it may repeat the input, which contains the secret. */
const parseErrorType = (text: string): string => /"__type":"([\w.#]{1,100})"/.exec(text)?.[1] ?? '';
