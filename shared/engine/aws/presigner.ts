/** Presigned URLs of objects in one bucket (AWS Signature Version 4 in the query string). */

import { requestTo, type SdkEnvironment, SignedService } from './signed-service.ts';

export interface ToSign {
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'DELETE';
  readonly key: string;
  readonly expiresIn: number;
  readonly query?: Readonly<Record<string, string>>;
  /** Headers that the request must send with exactly these values. */
  readonly headers?: Readonly<Record<string, string>>;
}

export class Presigner {
  readonly #bucket: string;
  readonly #s3: SignedService;

  constructor(bucket: string, environment: SdkEnvironment) {
    this.#bucket = bucket;
    this.#s3 = new SignedService('s3', environment);
  }

  /** The origin of all signed URLs: `https://host`. */
  get origin(): string {
    return this.#address('').origin;
  }

  /** The value of the header `x-amz-copy-source` for an object. */
  sourceOf(key: string): string {
    return `${this.#bucket}/${key}`;
  }

  async sign({ method, key, expiresIn, query, headers = {} }: ToSign): Promise<string> {
    const address = this.#address(key);
    // The payload is unsigned, because the bytes do not exist yet when the URL is signed.
    const unsigned = { 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD', ...headers };
    const signed = await this.#s3.signer.presign(requestTo(address, { method, headers: unsigned, query }), {
      expiresIn,
      unhoistableHeaders: new Set(Object.keys(headers)),
    });
    const parameters = Object.entries(signed.query ?? {}).map(
      ([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(String(value)).replace(/'/g, '%27')}`,
    );
    return `${address.origin}${address.pathname}?${parameters.join('&')}`;
  }

  /**
   * The URL of an object. Path style for custom endpoints (local runner, other S3-compatible stores), virtual-hosted
   * style for AWS.
   */
  #address(key: string): URL {
    const { customEndpoint, publicHost } = this.#s3;
    return customEndpoint
      ? new URL(`/${this.#bucket}/${key}`, customEndpoint)
      : new URL(`https://${this.#bucket}.${publicHost}/${key}`);
  }
}
