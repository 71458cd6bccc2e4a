/** Files of a run in S3. Bytes never pass through a function: callers get links that do one thing for a short time. */
import { Sha256 } from '@smithy/core/checksum';
import { HttpRequest } from '@smithy/protocol-http';
import { SignatureV4 } from '@smithy/signature-v4';
import { LIMITS } from './limits.ts';
import { backOff } from './table/back-off.ts';

const FILE_ATTEMPTS = 3;

type Environment = Readonly<Record<string, string | undefined>>;

export interface ReadLink {
  readonly key: string;
  readonly contentType: string;
  readonly fileName: string;
}

export class Artifacts {
  readonly #bucket: string;
  readonly #environment: Environment;

  constructor(bucket: string, environment: Environment) {
    this.#bucket = bucket;
    this.#environment = environment;
  }

  /** A link that takes one PUT of these bytes. */
  uploadUrl(key: string): Promise<string> {
    return this.#presign('PUT', key, {}, LIMITS.uploadUrlSeconds);
  }

  /** A link that answers with the file as a download: what a test left behind is never shown as a page of ours. */
  readUrl({ key, contentType, fileName }: ReadLink): Promise<string> {
    const query = {
      'response-content-disposition': `attachment; filename*=UTF-8''${encodeURIComponent(fileName.toWellFormed())}`,
      'response-content-type': contentType,
    };
    return this.#presign('GET', key, query, LIMITS.readUrlSeconds);
  }

  /** The bytes of a file as they come; `undefined` where there is none. Throws when the store does not answer. */
  async open(key: string): Promise<AsyncIterable<Uint8Array> | undefined> {
    const url = await this.#presign('GET', key, {}, LIMITS.readUrlSeconds);
    const signal = AbortSignal.timeout(LIMITS.fileMilliseconds);
    for (let attempt = 0; ; attempt += 1) {
      await backOff(attempt);
      const { ok, status, body } = await fetch(url, { signal });
      if (ok && body) return body;
      await body?.cancel();
      if (status === 404) return undefined;
      if (attempt === FILE_ATTEMPTS) throw new Error(`The store answered the request for ${key} with ${status}`);
    }
  }

  /** What is not there is removed, too. */
  async remove(key: string): Promise<void> {
    const url = await this.#presign('DELETE', key, {}, LIMITS.readUrlSeconds);
    const signal = AbortSignal.timeout(LIMITS.fileMilliseconds);
    for (let attempt = 0; ; attempt += 1) {
      await backOff(attempt);
      const { ok, status, body } = await fetch(url, { method: 'DELETE', signal });
      await body?.cancel();
      if (ok || status === 404) return;
      if (attempt === FILE_ATTEMPTS) throw new Error(`The store answered the removal of ${key} with ${status}`);
    }
  }

  async #presign(
    method: 'GET' | 'PUT' | 'DELETE',
    key: string,
    query: Record<string, string>,
    expiresIn: number,
  ): Promise<string> {
    const address = this.#address(key);
    const request = new HttpRequest({
      method,
      protocol: address.protocol,
      hostname: address.hostname,
      ...(address.port ? { port: Number(address.port) } : {}),
      path: address.pathname,
      query,
      // S3 verifies the address and the time, not bytes that are not there yet.
      headers: { host: address.host, 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD' },
    });
    const signed = await this.#signer().presign(request, { expiresIn, unhoistableHeaders: new Set() });
    const parameters = Object.entries(signed.query ?? {}).map(
      ([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(String(value)).replace(/'/g, '%27')}`,
    );
    return `${address.origin}${address.pathname}?${parameters.join('&')}`;
  }

  /** An endpoint of one's own (local run, other S3-compatible store) is addressed by path, AWS by host name. */
  #address(key: string): URL {
    const endpoint = this.#environment['AWS_ENDPOINT_URL_S3'] ?? this.#environment['AWS_ENDPOINT_URL'];
    if (endpoint) return new URL(`/${this.#bucket}/${key}`, endpoint);
    return new URL(`https://${this.#bucket}.s3.${this.#region}.amazonaws.com/${key}`);
  }

  get #region(): string {
    return this.#environment['AWS_REGION'] ?? 'us-east-1';
  }

  #signer(): SignatureV4 {
    const { AWS_ACCESS_KEY_ID = '', AWS_SECRET_ACCESS_KEY = '', AWS_SESSION_TOKEN } = this.#environment;
    return new SignatureV4({
      service: 's3',
      region: this.#region,
      uriEscapePath: false,
      credentials: {
        accessKeyId: AWS_ACCESS_KEY_ID,
        secretAccessKey: AWS_SECRET_ACCESS_KEY,
        ...(AWS_SESSION_TOKEN ? { sessionToken: AWS_SESSION_TOKEN } : {}),
      },
      sha256: Sha256,
    });
  }
}
